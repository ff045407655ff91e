#include "tools/cli_completion.h"

#include <algorithm>
#include <ostream>

#include "config/schema.h"

namespace longshore::cli_completion {
namespace {

// The names and values that the shell may be handed: it inserts them as they are.
bool is_plain(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./=").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// What a group hides it names with nothing.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* each) { return each->get_positional(); });
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// Where the words have led to.
class Walk {
 public:
  Walk(const CLI::App& app, const std::vector<std::string>& words, size_t count) {
    way_.push_back(&app);
    for (size_t i = 0; i < count && unknown_.empty(); ++i) step(words[i]);
  }

  const CLI::App& command() const { return *way_.back(); }
  const CLI::Option* awaiting_value() const { return awaiting_value_; }
  bool options_may_follow() const { return !options_ended_; }
  const std::string& unknown() const { return unknown_; }

  const CLI::Option* next_positional() const {
    const auto positionals = positionals_of(command());
    return positionals_ < positionals.size() ? positionals[positionals_] : nullptr;
  }

  std::string help() const {
    std::string before;
    for (const CLI::App* app : way_) {
      if (app != way_.back()) before += (before.empty() ? "" : " ") + app->get_name();
    }
    return command().help(before);
  }

  // Of the command and, since they may stand behind it, of those that it belongs to.
  std::vector<std::string> option_names() const {
    std::vector<std::string> names;
    for (auto app = way_.rbegin(); app != way_.rend(); ++app) {
      for (const CLI::Option* option : (*app)->get_options()) {
        if (option->get_group().empty()) continue;
        for (const std::string& name : option->get_lnames()) {
          if (std::find(names.begin(), names.end(), "--" + name) == names.end()) {
            names.push_back("--" + name);
          }
        }
      }
    }
    return names;
  }

  const CLI::Option* option_named(const std::string& name, bool is_long) const {
    for (auto app = way_.rbegin(); app != way_.rend(); ++app) {
      for (const CLI::Option* option : (*app)->get_options()) {
        const auto& names = is_long ? option->get_lnames() : option->get_snames();
        if (std::find(names.begin(), names.end(), name) != names.end()) return option;
      }
    }
    return nullptr;
  }

 private:
  void step(const std::string& word) {
    const bool looks_like_option = !options_ended_ && word.size() > 1 && word[0] == '-';
    if (awaiting_value_ != nullptr) {
      const bool needed = awaiting_value_->get_items_expected_min() > 0;
      awaiting_value_ = nullptr;
      if (needed || !looks_like_option) return;
    }
    if (looks_like_option) return take_option(word);
    for (const CLI::App* each : command().get_subcommands({})) {
      if (each->get_name() != word) continue;
      way_.push_back(each);
      positionals_ = 0;
      return;
    }
    if (next_positional() == nullptr) unknown_ = word;
    ++positionals_;
  }

  void take_option(const std::string& word) {
    if (word == "--") {
      options_ended_ = true;
      return;
    }
    const bool is_long = word[1] == '-';
    const size_t equals = word.find('=');
    const std::string name = is_long ? word.substr(2, equals - 2) : word.substr(1, 1);
    const CLI::Option* const option = option_named(name, is_long);
    if (option == nullptr) {
      unknown_ = word.substr(0, equals);
    } else if (takes_value(*option) && (is_long ? equals == word.npos : word.size() == 2)) {
      awaiting_value_ = option;
    }
  }

  std::vector<const CLI::App*> way_;
  const CLI::Option* awaiting_value_ = nullptr;
  size_t positionals_ = 0;
  bool options_ended_ = false;
  std::string unknown_;
};

// The choices of a type name such as "text|json"; none where it is no choice.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  if (type.find('|') == type.npos) return choices;
  for (size_t begin = 0; begin <= type.size();) {
    const size_t end = std::min(type.find('|', begin), type.size());
    choices.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return choices;
}

class Completer {
 public:
  Completer(std::string word, const ValueSource& values)
      : word_(std::move(word)), values_(values) {}

  // The value of an option that begins at `from` in the word.
  void add_values(const CLI::Option& option, size_t from) {
    using Files = Completion::Files;
    std::string type = option.get_type_name();
    if (type.empty()) type = option.get_name();
    const std::string begin = word_.substr(from);
    if (type == "FILE" || type == "DIR") {
      completion_.files = type == "FILE" ? Files::kFiles : Files::kFolders;
      completion_.files_from = from;
    } else if (type == "JSON") {
      if (!begin.starts_with('@')) return;
      completion_.files = Files::kFiles;
      completion_.files_from = from + 1;
    } else {
      std::vector<std::string> found = choices_in(type);
      if (found.empty()) found = values_(type, begin);
      for (const std::string& value : found) add(word_.substr(0, from) + value);
    }
  }

  void add(const std::string& candidate) {
    if (candidate.starts_with(word_) && is_plain(candidate)) {
      completion_.candidates.push_back(candidate);
    }
  }

  Completion take() {
    std::sort(completion_.candidates.begin(), completion_.candidates.end());
    return std::move(completion_);
  }

 private:
  const std::string word_;
  const ValueSource& values_;
  Completion completion_;
};

}  // namespace

Completion complete(const CLI::App& app, const std::vector<std::string>& words,
                    const ValueSource& values) {
  if (words.empty()) return {};
  const std::string& word = words.back();
  const Walk walk(app, words, words.size() - 1);
  Completer completer(word, values);
  const size_t equals = word.find('=');
  if (!walk.unknown().empty()) {
    // Nothing is known of what follows.
  } else if (const CLI::Option* option = walk.awaiting_value()) {
    completer.add_values(*option, 0);
  } else if (walk.options_may_follow() && word.starts_with("--") && equals != word.npos) {
    option = walk.option_named(word.substr(2, equals - 2), true);
    if (option != nullptr && takes_value(*option)) completer.add_values(*option, equals + 1);
  } else if (walk.options_may_follow() && word.starts_with('-')) {
    for (const std::string& name : walk.option_names()) completer.add(name);
  } else {
    for (const CLI::App* each : commands_of(walk.command())) completer.add(each->get_name());
    if (const CLI::Option* positional = walk.next_positional()) {
      completer.add_values(*positional, 0);
    }
  }
  return completer.take();
}

void print(const Completion& completion, std::ostream& output) {
  for (const std::string& candidate : completion.candidates) output << candidate << '\n';
  if (completion.files == Completion::Files::kNone) return;
  output << (completion.files == Completion::Files::kFiles ? ":files " : ":folders ")
         << completion.files_from << '\n';
}

std::string misspelling(const CLI::App& app, const std::vector<std::string>& words) {
  const Walk walk(app, words, words.size());
  const std::string& unknown = walk.unknown();
  if (unknown.empty()) return {};
  const bool is_option = unknown.starts_with('-');
  std::vector<std::string> known = walk.option_names();
  if (!is_option) {
    known.clear();
    for (const CLI::App* each : commands_of(walk.command())) known.push_back(each->get_name());
    if (known.empty()) return {};  // one word too many
  }
  const std::string meant = config::nearest(unknown, known);
  return std::string("there is no ") + (is_option ? "option \"" : "command \"") + unknown + '"' +
         (meant.empty() ? "" : "; did you mean \"" + meant + "\"?");
}

std::string help_if_command_lacks(const CLI::App& app, const std::vector<std::string>& words) {
  const Walk walk(app, words, words.size());
  const bool lacks = walk.unknown().empty() && !commands_of(walk.command()).empty();
  return lacks ? walk.help() : std::string();
}

}  // namespace longshore::cli_completion
