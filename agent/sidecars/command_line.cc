#include "sidecars/command_line.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "config/http_address.h"
#include "config/toml_text.h"
#include "longshore/csi_address.hpp"
#include "main/go_flags.h"
#include "sidecars/flag_value.h"
#include "sidecars/known_flags.h"
#include "sidecars/leader_election_flags.h"
#include "sidecars/settings.h"
#include "sidecars/upstream_flags.h"
#include "text/escape.h"
#include "text/file_path.h"

namespace longshore::sidecars {
namespace {

constexpr int kDebug = 4;  // where the sidecars begin to log what they do in full
constexpr const char* kNoSuchOption = "no enabled controller has such an option";

// `flag` without its value, which may be a secret.
Error wrong(const std::string& flag, std::string why) {
  return Error(StatusCode::kInvalidArgument, "use the flag", text::escaped(flag))
      .because(std::move(why));
}

struct Given {
  std::string name;
  std::string value;

  std::string flag() const { return "--" + name; }
};

std::string absolute(const std::string& path) {
  std::error_code error;  // of the current folder
  const auto whole = std::filesystem::absolute(text::file_path(path), error);
  return error ? path : whole.lexically_normal().string();
}

// Go's ":8080" is all addresses.
std::string http_address(const std::string& address) {
  return address.starts_with(':') ? "[::]" + address : address;
}

class Parser {
 public:
  Parser(const std::vector<std::string>& words, const InstalledControllers& installed)
      : words_(words), installed_(installed), known_(installed) {}

  Result<CommandLine> parse() {
    if (auto read = read_words(); !read) return std::move(read).error();
    if (line_.help || line_.version || line_.does_nothing) return std::move(line_);
    for (const auto step : {&Parser::choose, &Parser::take_own, &Parser::take_leader_election,
                            &Parser::take_unprefixed, &Parser::take_prefixed,
                            &Parser::check_required, &Parser::check_drivers}) {
      if (auto done = (this->*step)(); !done) return std::move(done).error();
    }
    line_.run_dir = settings_.run_dir;
    line_.configuration = configuration_text(settings_, installed_);
    return std::move(line_);
  }

 private:
  // As Go's package flag: the last of a name counts.
  Result<void> read_words() {
    for (size_t i = 0; i < words_.size(); ++i) {
      std::optional<go::FlagWord> word = go::flag_word(words_[i]);
      if (!word) {
        return wrong(words_[i], "it is no flag")
            .advise("a bool has its value after =: --flag=false");
      }
      if (word->name == "help" || word->name == "h") {
        line_.help = true;
        return {};
      }
      if (!known_.is_known(word->name)) return unknown(words_[i], word->name);
      if (!word->value && known_.is_bool(word->name)) word->value = "true";
      if (!word->value) {
        if (++i == words_.size()) return wrong("--" + word->name, "it needs a value");
        word->value = words_[i];
      }
      if (auto added = add({std::move(word->name), *std::move(word->value)}); !added) return added;
    }
    return {};
  }

  Error unknown(const std::string& word, const std::string& name) const {
    const std::string near = known_.nearest_to(name);
    return wrong(
               word.substr(0, word.find('=')),
               "there is no such flag" + (near.empty() ? "" : "; did you mean \"--" + near + "\"?"))
        .advise("csi-sidecars --help lists all");
  }

  Result<void> add(Given given) {
    for (const auto& [name, is_asked] : {std::pair("version", &CommandLine::version),
                                         {"print-config", &CommandLine::print_config},
                                         {"check", &CommandLine::check}}) {
      if (given.name != name) continue;
      const std::optional<bool> value = go::parse_bool(given.value);
      if (!value) return not_bool(given);
      line_.*is_asked = *value;
      return {};
    }
    // The sidecar is run so by exec probes of old manifests, beside the one that works.
    if (given.name == "mode" && given.value == "kubelet-registration-probe") {
      line_.does_nothing = true;
    }
    if (given.name == "module-dir") {
      settings_.module_dirs.push_back(absolute(given.value));
      return {};
    }
    // Of these each adds to those before.
    if (given.name == "leader-election-labels" || given.name == "feature-gates") {
      const auto earlier = std::ranges::find(given_, given.name, &Given::name);
      if (earlier != given_.end()) given.value = earlier->value + ',' + given.value;
    }
    std::erase_if(given_, [&](const Given& earlier) { return earlier.name == given.name; });
    given_.push_back(std::move(given));
    return {};
  }

  static Error not_bool(const Given& given) {
    return wrong(given.flag(), config::in_quotes(given.value) + " is neither true nor false");
  }

  // Takes a flag out of those that are given.
  std::optional<Given> take(std::string_view name) {
    const auto found = std::ranges::find(given_, name, &Given::name);
    if (found == given_.end()) return std::nullopt;
    std::optional<Given> taken = std::move(*found);
    given_.erase(found);
    return taken;
  }

  Result<void> choose() {
    const std::optional<Given> list = take("controllers");
    auto chosen = chosen_controllers(list ? list->value : "", installed_);
    if (!chosen) return std::move(chosen).error();
    for (const std::string& name : *chosen) settings_.controllers[name];
    return {};
  }

  bool is_enabled(const std::string& controller) const {
    return settings_.controllers.contains(controller);
  }

  Result<void> take_own() {
    if (const auto run_dir = take("run-dir")) {
      if (run_dir->value.empty()) return wrong(run_dir->flag(), "it names no folder");
      settings_.run_dir = absolute(run_dir->value);
    }
    if (const auto verbosity = take("v")) {
      const std::optional<int64_t> level = go::parse_int(verbosity->value);
      if (!level) return wrong("-v", config::in_quotes(verbosity->value) + " is no whole number");
      settings_.is_debug = *level >= kDebug;
    }
    if (const auto format = take("logging-format")) {
      if (format->value != "text" && format->value != "json") {
        return wrong(format->flag(),
                     config::in_quotes(format->value) + R"( is neither "text" nor "json")");
      }
      settings_.log_format = format->value;
    }
    if (auto taken = take_kube(); !taken) return taken;
    if (auto taken = take_metrics_path(); !taken) return taken;
    return take_http();
  }

  bool uses_api_server() const {
    return std::ranges::any_of(settings_.controllers, [&](const auto& controller) {
      return !installed_.described.at(controller.first).kube_grants.empty();
    });
  }

  Result<void> take_kube() {
    config::KubeSettings& kube = settings_.kube;
    if (const auto file = take_of_api_server("kubeconfig"); file && !file->value.empty()) {
      kube.kubeconfig = absolute(file->value);
    }
    config::OptionSchema number;
    number.range = {0, 10'000};  // as of [agent.kube]
    if (const auto rate = take_of_api_server("kube-api-qps")) {
      number.type = config::OptionType::kFloat;
      auto value = flag_value(rate->flag(), number, rate->value);
      if (!value) return std::move(value).error();
      kube.api_qps = std::get<double>(*value);
    }
    if (const auto burst = take_of_api_server("kube-api-burst")) {
      number.type = config::OptionType::kInt;
      auto value = flag_value(burst->flag(), number, burst->value);
      if (!value) return std::move(value).error();
      kube.api_burst = std::get<int64_t>(*value);
    }
    return {};
  }

  // Nothing, too, where nobody uses it.
  std::optional<Given> take_of_api_server(std::string_view name) {
    std::optional<Given> given = take(name);
    if (!given || uses_api_server()) return given;
    warn(*given, "no enabled controller asks the API server");
    return std::nullopt;
  }

  Result<void> take_leader_election() {
    const bool has_lease = std::ranges::any_of(settings_.controllers, [&](const auto& controller) {
      return !installed_.described.at(controller.first).lease.empty();
    });
    if (!has_lease) return {};
    std::map<std::string, std::string, std::less<>> values;
    std::vector<Given> taken;
    for (const std::string_view name : leader_election_flags()) {
      if (auto flag = take(name)) taken.push_back(*std::move(flag));
    }
    if (auto gate = take_gate(kReleaseGate)) taken.push_back(*std::move(gate));
    for (const Given& each : taken) values[each.name] = each.value;
    auto election = leader_election_settings(values);
    if (!election) return std::move(election).error();
    settings_.leader_election = *std::move(election);
    if (settings_.leader_election) return {};
    for (const Given& each : taken) {
      if (each.name == "leader-election") continue;
      warn(each.name == kReleaseGate ? Given{"feature-gates=" + each.name, ""} : each,
           "--leader-election is not given");
    }
    return {};
  }

  // Takes a gate out of --feature-gates; the last of its name counts.
  std::optional<Given> take_gate(std::string_view name) {
    const std::optional<Given> gates = take("feature-gates");
    if (!gates) return std::nullopt;
    std::optional<Given> gate;
    std::string others;
    std::string_view left = gates->value;
    while (!left.empty()) {
      const std::string_view item = left.substr(0, left.find(','));
      left.remove_prefix(std::min(item.size() + 1, left.size()));
      if (item.substr(0, item.find('=')) == name) {
        gate = {std::string(name),
                std::string(item.substr(std::min(name.size() + 1, item.size())))};
      } else if (!item.empty()) {
        others += (others.empty() ? "" : ",") + std::string(item);
      }
    }
    if (!others.empty()) given_.push_back({gates->name, std::move(others)});
    return gate;
  }

  Result<void> take_http() {
    const std::optional<Given> metrics = take("metrics-address");
    const auto endpoint = std::ranges::find(given_, "http-endpoint", &Given::name);
    const bool has_metrics = metrics && !metrics->value.empty();
    const bool has_endpoint = endpoint != given_.end() && !endpoint->value.empty();
    const std::vector<OwnedOption> owners = enabled_owners("http-endpoint");
    if (has_metrics && has_endpoint) {
      return wrong(metrics->flag(), "--http-endpoint is given too")
          .advise(owners.empty() ? "leave one of them out"
                                 : "write " + prefixed_forms("http-endpoint", owners) +
                                       " in place of --http-endpoint");
    }
    if (has_metrics) return set_http_address(*metrics);
    if (!has_endpoint) return {};
    // A controller that has the option gets it too: they share the port.
    return set_http_address(owners.empty() ? *take("http-endpoint") : *endpoint);
  }

  Result<void> take_metrics_path() {
    const std::optional<Given> path = take("metrics-path");
    if (!path) return {};
    if (!config::is_metrics_path(path->value)) {
      return wrong(path->flag(), config::in_quotes(path->value) +
                                     " is no path such as /metrics, or is one of /, "
                                     "/healthz, /healthz/leader-election, /readyz and /status");
    }
    settings_.metrics_path = path->value;
    return {};
  }

  // "--a-flag or --b-flag"
  static std::string prefixed_forms(const std::string& name,
                                    const std::vector<OwnedOption>& owners) {
    std::string forms;
    for (const OwnedOption& owned : owners) {
      forms += (forms.empty() ? "" : " or ") + ("--" + owned.controller + '-') + name;
    }
    return forms;
  }

  Result<void> set_http_address(const Given& given) {
    settings_.http_address = http_address(given.value);
    line_.http_flag = given.flag();
    const auto parsed = config::parse_http_address(settings_.http_address);
    const bool is_relative =
        parsed && !parsed->unix_path.empty() && !text::file_path(parsed->unix_path).is_absolute();
    if (parsed && !is_relative) return {};
    return wrong(given.flag(), config::in_quotes(given.value) + " is no IP address and port")
        .advise("write it as 127.0.0.1:9809 or :9809");
  }

  std::vector<OwnedOption> enabled_owners(std::string_view name) const {
    std::vector<OwnedOption> owners = known_.unprefixed(name);
    std::erase_if(owners, [&](const OwnedOption& owned) { return !is_enabled(owned.controller); });
    return owners;
  }

  Result<void> set(const Given& given, const OwnedOption& owned) {
    auto value = flag_value(given.flag(), *owned.option, given.value);
    if (!value) return std::move(value).error();
    settings_.controllers[owned.controller][owned.option->name] = *std::move(value);
    line_.option_flags[{owned.controller, owned.option->name}] = given.flag();
    return {};
  }

  // All but the prefixed ones, which are left.
  Result<void> take_unprefixed() {
    std::vector<Given> prefixed;
    for (const Given& given : std::exchange(given_, {})) {
      const std::vector<OwnedOption> owners = enabled_owners(given.name);
      const UpstreamFlag* const generic = find_flag(generic_flags(), given.name);
      // Each that has an endpoint serves /healthz there.
      const bool is_for_many = generic && given.name != "http-endpoint";
      if (owners.size() > 1 && !is_for_many) return ambiguous(given, owners);
      for (const OwnedOption& owned : owners) {
        if (auto done = set(given, owned); !done) return done;
      }
      if (!owners.empty()) continue;
      if (generic) {
        if (auto warned = warn_of_generic(given, *generic); !warned) return warned;
      } else if (!known_.unprefixed(given.name).empty()) {
        warn(given, kNoSuchOption);
      } else if (known_.prefixed(given.name)) {
        prefixed.push_back(given);
      } else {
        warn(given, "it is taken for the sake of manifests that have it");
      }
    }
    given_ = std::move(prefixed);
    return {};
  }

  // No leader election is what --leader-election=false asks for.
  Result<void> warn_of_generic(const Given& given, const UpstreamFlag& flag) {
    if (flag.is_bool) {
      const std::optional<bool> value = go::parse_bool(given.value);
      if (!value) return not_bool(given);
      if (!*value) return {};
    }
    const bool is_known = uses_api_server() && !flag.does_nothing_because.empty();
    warn(given, is_known ? std::string(flag.does_nothing_because) : kNoSuchOption);
    return {};
  }

  static Error ambiguous(const Given& given, const std::vector<OwnedOption>& owners) {
    return wrong(given.flag(), "several enabled controllers have it")
        .advise("write " + prefixed_forms(given.name, owners));
  }

  Result<void> take_prefixed() {
    for (const Given& given : given_) {
      const OwnedOption owned = *known_.prefixed(given.name);
      if (!is_enabled(owned.controller)) {
        warn(given, "the controller " + owned.controller + " is not enabled");
      } else if (auto done = set(given, owned); !done) {
        return done;
      }
    }
    return {};
  }

  Result<void> check_required() {
    for (const auto& [name, values] : settings_.controllers) {
      const config::ModuleSchema& schema = installed_.described.at(name);
      for (const config::OptionSchema& option : schema.options) {
        if (option.default_value || values.contains(option.name)) continue;
        return Error(StatusCode::kInvalidArgument, "run the controller", name)
            .because("it needs the flag --" + name + '-' + flag_name(option.name))
            .advise(with_flag_names(option.doc, schema));
      }
    }
    return {};
  }

  // By the flag's own words, where the configuration's would be those of a key that nobody wrote.
  Result<void> check_drivers() {
    for (const auto& [name, values] : settings_.controllers) {
      const std::string driver = awaited_driver(installed_.described.at(name), values);
      if (driver.empty()) continue;
      if (auto path = csi_socket_path(driver); !path) return std::move(path).error();
    }
    return {};
  }

  void warn(const Given& given, const std::string& why) {
    line_.warnings.push_back("the flag " + given.flag() + " does nothing: " + why);
  }

  const std::vector<std::string>& words_;
  const InstalledControllers& installed_;
  const KnownFlags known_;
  CommandLine line_;
  Settings settings_;
  std::vector<Given> given_;  // and not taken yet; each name once
};

}  // namespace

const std::vector<OwnFlag>& own_flags() {
  static const std::vector<OwnFlag> flags = {
      {"controllers", false, "LIST",
       "The controllers that run, with commas between them. * stands for livenessprobe and "
       "node-driver-registrar, which run on each node, and -NAME for all but that one."},
      {"run-dir", false, "DIR",
       "The folder for sockets and state; it is made where it is missing. In a Pod with a "
       "read-only root an emptyDir belongs there."},
      {"module-dir", false, "DIR",
       "A folder searched for controllers before the usual one; may be repeated."},
      {"v", false, "LEVEL", "From 4 on what is logged includes debugging."},
      {"logging-format", false, "FORMAT", "text or json, on standard error."},
      {"metrics-address", false, "ADDRESS",
       "Where /metrics, /healthz, /readyz and /status of the program itself are answered, as "
       ":8080. --http-endpoint means the same, for a controller that has it too, whose /healthz "
       "comes first. Only one of them can be given."},
      {"metrics-path", false, "PATH", "The path of /metrics, where scrapers look for another one."},
      {"kubeconfig", false, "FILE",
       "How controllers that work with objects of Kubernetes reach the API server. Without it they "
       "do so as the Pod."},
      {"kube-api-qps", false, "NUMBER",
       "How many requests a second go to the API server, for all controllers; events have as many "
       "of their own, and leases 20. 0, which is the default: it begins with 20 and follows the "
       "server's answers, up to 200."},
      {"kube-api-burst", false, "NUMBER",
       "How many of them may go at once after a pause. 0, which is the default: those of a "
       "second."},
      {"print-config", true, "",
       "Print the configuration that the flags make, for longshored --config, and end."},
      {"check", true, "",
       "Start no controller: tell, a line each, what of a start with these flags is right and what "
       "is wrong, from the flags to the driver and to each verb that the API server has to allow, "
       "and end with 0 or 1. Nothing is changed in the cluster."},
      {"version", true, "", "Print the version and end."},
      {"help", true, "", "Print this and end."},
  };
  return flags;
}

std::vector<std::string> module_dirs_of(const std::vector<std::string>& words) {
  std::vector<std::string> folders;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::optional<go::FlagWord> word = go::flag_word(words[i]);
    if (!word || word->name != "module-dir") continue;
    if (word->value) {
      folders.push_back(*word->value);
    } else if (i + 1 < words.size()) {
      folders.push_back(words[++i]);
    }
  }
  return folders;
}

bool asks_for_check(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& text) {
    const std::optional<go::FlagWord> word = go::flag_word(text);
    return word && word->name == "check" && go::parse_bool(word->value.value_or("true")) == true;
  });
}

Result<CommandLine> parse_command_line(const std::vector<std::string>& words,
                                       const InstalledControllers& installed) {
  return Parser(words, installed).parse();
}

}  // namespace longshore::sidecars
