#include "main/config_commands.h"

#include <algorithm>
#include <filesystem>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <utility>

#include "config/sample.h"
#include "config/show.h"
#include "config/user_names.h"
#include "core/inspected_modules.h"
#include "main/described_services.h"
#include "main/exit_codes.h"
#include "main/file_findings.h"
#include "main/installed_modules.h"
#include "main/socket_findings.h"
#include "text/file_path.h"
#include "text/read_at_most.h"

namespace longshore {
namespace {

constexpr size_t kMaxConfigBytes = 16u << 20;

// Whether the file is one of those that a configuration is merged of.
bool is_in_conf_d(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::absolute(text::file_path(file), ignored).parent_path().filename() ==
         "conf.d";
}

class Command {
 public:
  Command(const ConfigCommand& command, std::shared_ptr<services::HostServices> services,
          std::ostream& output, std::ostream& errors)
      : command_(command),
        output_(output),
        errors_(errors),
        modules_(command.module_dirs, std::move(services)) {
    options_.strict = true;
    if (command.check_ownership) options_.owners.push_back(config::own_user_id());
  }

  int check() {
    if (is_in_conf_d(command_.file)) {
      errors_ << "warning: " << command_.file
              << " is taken as a whole configuration: to check it with the others of its folder "
                 "conf.d, name the file that they belong to\n";
    }
    const auto loaded = load();
    if (!loaded) return fail(loaded.error());
    return tell_checked(command_.file, *loaded, output_, errors_);
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
    const std::optional<std::string> text = text::read_at_most(running, kMaxConfigBytes);
    if (!text) {
      return fail(Error(StatusCode::kInvalidArgument, "read", "the running configuration")
                      .because("it is longer than any is"));
    }
    const auto old_one =
        config::load_text_with_origins(*text, "the running agent", modules_, options_);
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

int tell_checked(const std::string& file, const config::Loaded& loaded, std::ostream& output,
                 std::ostream& errors) {
  std::vector<std::string> findings = socket_findings(loaded);
  std::ranges::move(file_findings(loaded), std::back_inserter(findings));
  for (const std::string& line : loaded.warnings) errors << "warning: " << line << '\n';
  for (const std::string& line : findings) errors << line << '\n';
  if (!findings.empty()) return kConfigurationError;
  const size_t count = loaded.warnings.size();
  output << file << ": no findings";
  if (count > 0) output << ", " << count << (count == 1 ? " warning" : " warnings");
  output << '\n';
  return 0;
}

int run_config_command(const ConfigCommand& command, std::istream& running, std::ostream& output,
                       std::ostream& errors) {
  auto services = described_services();
  if (!services) {
    errors << services.error().message() << '\n';
    return kConfigurationError;
  }
  Command runner(command, services->all, output, errors);
  if (command.name == "check") return runner.check();
  if (command.name == "show") return runner.show();
  if (command.name == "sample") return runner.sample();
  return runner.diff(running);
}

}  // namespace longshore
