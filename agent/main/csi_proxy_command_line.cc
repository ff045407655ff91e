#include "main/csi_proxy_command_line.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "config/toml_text.h"
#include "main/go_flags.h"

namespace longshore {
namespace {

constexpr const char* kKubeletPath = R"(C:\var\lib\kubelet)";
constexpr int kVerbose = 4;  // where csi-proxy begins to log requests in full

enum class Kind { kText, kBool, kIgnoredText, kIgnoredBool };

struct Flag {
  std::string_view name;
  Kind kind;
};

constexpr std::array kFlags = {
    Flag{"windows-service", Kind::kBool},
    Flag{"kubelet-path", Kind::kText},
    Flag{"working-dir", Kind::kText},
    Flag{"require-privacy", Kind::kBool},
    Flag{"metrics-bind-address", Kind::kText},
    Flag{"log_file", Kind::kText},
    Flag{"log_dir", Kind::kText},
    Flag{"logtostderr", Kind::kBool},
    Flag{"v", Kind::kText},
    // Until v0.2.2.
    Flag{"kubelet-csi-plugins-path", Kind::kText},
    Flag{"kubelet-pod-path", Kind::kText},
    // klog's, of how it writes.
    Flag{"vmodule", Kind::kIgnoredText},
    Flag{"log_file_max_size", Kind::kIgnoredText},
    Flag{"stderrthreshold", Kind::kIgnoredText},
    Flag{"alsologtostderrthreshold", Kind::kIgnoredText},
    Flag{"log_backtrace_at", Kind::kIgnoredText},
    Flag{"alsologtostderr", Kind::kIgnoredBool},
    Flag{"add_dir_header", Kind::kIgnoredBool},
    Flag{"skip_headers", Kind::kIgnoredBool},
    Flag{"skip_log_headers", Kind::kIgnoredBool},
    Flag{"one_output", Kind::kIgnoredBool},
    Flag{"legacy_stderr_threshold_behavior", Kind::kIgnoredBool},
};

const Flag* flag_of(std::string_view name) {
  const auto* const found = std::find_if(kFlags.begin(), kFlags.end(),
                                         [&](const Flag& flag) { return flag.name == name; });
  return found == kFlags.end() ? nullptr : &*found;
}

Error wrong(const std::string& flag, std::string why) {
  return Error(StatusCode::kInvalidArgument, "use csi-proxy's flag", flag)
      .because(std::move(why))
      .advise("longshored --help lists longshored's own");
}

struct Values {
  bool is_service = false;
  bool require_privacy = true;
  bool log_to_stderr = true;
  std::string metrics_address;
  std::string log_file;
  std::string log_dir;
  std::string kubelet_path = kKubeletPath;
  std::vector<std::string> working_dirs;
  int verbosity = 0;
  std::vector<std::string> warnings;
};

Result<void> take_bool(const std::string& name, const std::string& text, Values& values) {
  const std::optional<bool> value = go::parse_bool(text);
  if (!value) return wrong('-' + name, "\"" + text + "\" is neither true nor false");
  if (name == "windows-service") values.is_service = *value;
  if (name == "require-privacy") values.require_privacy = *value;
  if (name == "logtostderr") values.log_to_stderr = *value;
  return {};
}

Result<void> take_text(const std::string& name, const std::string& text, Values& values) {
  if (name == "kubelet-path") values.kubelet_path = text;
  if (name == "working-dir" || name == "kubelet-csi-plugins-path" || name == "kubelet-pod-path") {
    values.working_dirs.push_back(text);
  }
  if (name == "metrics-bind-address") values.metrics_address = text;
  if (name == "log_file") values.log_file = text;
  if (name == "log_dir") values.log_dir = text;
  if (name != "v") return {};
  const bool is_number =
      !text.empty() && text.size() < 4 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) return wrong("-v", "\"" + text + "\" is no number");
  values.verbosity = std::stoi(text);
  return {};
}

Result<void> take(const Flag& flag, const std::string& value, Values& values) {
  const std::string name(flag.name);
  switch (flag.kind) {
    case Kind::kText:
      return take_text(name, value, values);
    case Kind::kBool:
      return take_bool(name, value, values);
    case Kind::kIgnoredText:
    case Kind::kIgnoredBool:
      values.warnings.push_back("csi-proxy's flag -" + name +
                                " does nothing: how the log is written is [agent.log]'s affair");
  }
  return {};
}

bool takes_value(const Flag& flag) {
  return flag.kind == Kind::kText || flag.kind == Kind::kIgnoredText;
}

Result<Values> values_of(const std::vector<std::string>& words) {
  Values values;
  for (size_t i = 0; i < words.size(); ++i) {
    std::optional<go::FlagWord> word = go::flag_word(words[i]);
    if (!word) return wrong(words[i], "it is no flag");
    const Flag* const flag = flag_of(word->name);
    if (!flag)
      return wrong(words[i], "csi-proxy has no such flag, and no others go with its flags");
    if (!word->value && takes_value(*flag)) {
      if (++i == words.size()) return wrong('-' + word->name, "it needs a value");
      word->value = words[i];
    }
    if (auto taken = take(*flag, word->value.value_or("true"), values); !taken) {
      return std::move(taken).error();
    }
  }
  return values;
}

// csi-proxy's ":8080" is all addresses.
std::string http_address(const std::string& address) {
  return address.starts_with(':') ? "[::]" + address : address;
}

std::string list(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& each : texts)
    text += (text.empty() ? "" : ", ") + config::in_quotes(each);
  return "[" + text + "]";
}

std::string configuration_of(const Values& values, const std::vector<std::string>& module_dirs) {
  std::string toml = "[agent]\nmodule_dirs = " + list(module_dirs) + "\n[agent.log]\n";
  if (values.verbosity >= kVerbose) toml += "level = \"debug\"\n";
  std::string log_file = values.log_file;
  if (log_file.empty() && !values.log_dir.empty()) log_file = values.log_dir + "\\longshored.log";
  if (!values.log_to_stderr && !log_file.empty()) {
    toml += "file = " + config::in_quotes(log_file) + "\n";
  }
  if (!values.metrics_address.empty()) {
    toml += "[agent.http]\naddress = " + config::in_quotes(http_address(values.metrics_address)) +
            "\nallow_remote = true\n";
  }
  // The kubelet's path is always the last.
  std::vector<std::string> roots = values.working_dirs;
  roots.push_back(values.kubelet_path);
  const std::string allowed_roots = "allowed_roots = " + list(roots) + "\n";
  toml += "[modules.disk]\n[modules.iscsi]\n";
  for (const char* module : {"filesystem", "volume", "smb"}) {
    toml += std::string("[modules.") + module + ".settings]\n" + allowed_roots;
  }
  toml += std::string("require_privacy = ") + (values.require_privacy ? "true" : "false") + "\n";
  // csi-proxy has no list of services.
  return toml + "[modules.system.settings]\nallowed_services = [\"*\"]\n";
}

}  // namespace

bool is_csi_proxy_command_line(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& text) {
    const auto word = go::flag_word(text);
    return word && flag_of(word->name);
  });
}

Result<CsiProxyCommandLine> parse_csi_proxy_command_line(
    const std::vector<std::string>& words, const std::vector<std::string>& module_dirs) {
  auto values = values_of(words);
  if (!values) return std::move(values).error();
  return CsiProxyCommandLine{values->is_service, configuration_of(*values, module_dirs),
                             std::move(values->warnings)};
}

}  // namespace longshore
