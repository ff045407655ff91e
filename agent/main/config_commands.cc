#include "main/config_commands.h"

#include <filesystem>
#include <istream>
#include <iterator>
#include <map>
#include <ostream>
#include <utility>

#include "config/loaded.h"
#include "config/sample.h"
#include "config/show.h"
#include "config/user_names.h"
#include "core/inspected_modules.h"
#include "loader/module_file.h"
#include "main/described_services.h"

namespace longshore {
namespace {

constexpr int kConfigurationError = 2;
constexpr std::string_view kLibraryPrefix = "longshore-";

// The modules that lie in the folders, by the name that a configuration would give them. Which file
// wins where two folders have one is decided as at a start: by the catalog.
std::map<std::string, std::string> installed_modules(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> libraries;
  for (const std::string& folder : folders) {
    std::error_code ignored;  // a folder that is not there has no modules
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      const std::string library = entry.path().stem().string();
      if (!library.starts_with(kLibraryPrefix) || entry.path().extension() != loader::kModuleSuffix)
        continue;
      libraries[library.substr(kLibraryPrefix.size())] = library;
    }
  }
  return libraries;
}

class Command {
 public:
  Command(const ConfigCommand& command, std::shared_ptr<services::HostServices> services,
          std::ostream& output, std::ostream& errors)
      : command_(command),
        output_(output),
        errors_(errors),
        modules_(command.module_dirs, std::move(services)) {
    if (command.check_ownership) options_.owners.push_back(config::own_user_id());
  }

  int check() {
    if (const auto loaded = load(); !loaded) return fail(loaded.error());
    output_ << command_.file << ": no findings\n";
    return 0;
  }

  int show() {
    const auto loaded = load();
    if (!loaded) return fail(loaded.error());
    output_ << config::show(*loaded, command_.with_origin);
    return 0;
  }

  int sample() {
    const config::AgentSettings agent;
    std::vector<std::string> folders = command_.module_dirs;
    folders.insert(folders.end(), agent.module_dirs.begin(), agent.module_dirs.end());
    std::vector<std::pair<std::string, config::ModuleSchema>> described;
    for (const auto& [name, library] : installed_modules(folders)) {
      config::ModuleSettings settings;
      settings.name = name;
      settings.library = library;
      auto schema = modules_.describe(settings, agent);
      if (!schema) return fail(schema.error());
      described.emplace_back(name, std::move(*schema));
    }
    if (described.empty()) {
      errors_ << "There are no modules in " << folders.back()
              << ": name their folder with --module-dir.\n";
    }
    output_ << config::sample(described);
    return 0;
  }

  // The agent does not tell its secrets, so nothing can be said about those.
  int diff(std::istream& running) {
    const std::string text{std::istreambuf_iterator<char>(running),
                           std::istreambuf_iterator<char>()};
    const auto old_one = config::load_text_with_origins(text, "the running agent", modules_);
    if (!old_one) {
      const int code = fail(old_one.error());
      errors_ << "The running agent may find its modules elsewhere: give each --module-dir that it "
                 "was started with.\n";
      return code;
    }
    const auto new_one = load();
    if (!new_one) return fail(new_one.error());
    for (const std::string& line : config::diff(*old_one, *new_one)) {
      if (!line.starts_with('~')) output_ << line << '\n';
    }
    return 0;
  }

 private:
  Result<config::Loaded> load() {
    return config::load_files_with_origins(command_.file, modules_, options_);
  }

  int fail(const Error& error) {
    errors_ << error.message() << '\n';
    return kConfigurationError;
  }

  const ConfigCommand& command_;
  std::ostream& output_;
  std::ostream& errors_;
  core::InspectedModules modules_;
  config::LoadOptions options_;
};

}  // namespace

int run_config_command(const ConfigCommand& command, std::istream& running, std::ostream& output,
                       std::ostream& errors) {
  auto services = described_services();
  if (!services) {
    errors << services.error().message() << '\n';
    return kConfigurationError;
  }
  Command runner(command, *std::move(services), output, errors);
  if (command.name == "check") return runner.check();
  if (command.name == "show") return runner.show();
  if (command.name == "sample") return runner.sample();
  return runner.diff(running);
}

}  // namespace longshore
