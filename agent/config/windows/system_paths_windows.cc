#include <windows.h>

#include <algorithm>
#include <filesystem>

#include "config/control_characters.h"
#include "config/system_paths.h"
#include "config/toml_text.h"
#include "longshore/windows/wide_text.hpp"
#include "text/file_path.h"

namespace longshore::config {
namespace {

constexpr std::string_view kScheme = "npipe://";
constexpr std::string_view kFolder = R"(\\.\pipe\)";
constexpr size_t kLongestName = 256;  // of a pipe, with its folder
constexpr std::string_view kContainerRoot = "%CONTAINER_SANDBOX_MOUNT_POINT%";
constexpr std::string_view kSeparators = "\\/";

// Empty outside of a HostProcess container.
std::string container_root() {
  std::wstring root(32767, L'\0');  // the longest that a variable can be
  root.resize(GetEnvironmentVariableW(L"CONTAINER_SANDBOX_MOUNT_POINT", root.data(),
                                      static_cast<DWORD>(root.size())));
  return narrow(root);
}

}  // namespace

// Kubernetes writes slashes; both are taken, and doubled ones, as csi-proxy's, are one.
std::string path_of_address(std::string_view address) {
  std::string path(address.substr(kScheme.size()));
  std::replace(path.begin(), path.end(), '/', '\\');
  return path;
}

// containerd writes the root with a backslash at its end, and users one after the variable.
std::string expanded_path(const std::string& written) {
  if (!written.starts_with(kContainerRoot)) return written;
  const std::string rest = written.substr(kContainerRoot.size());
  std::string root = container_root();
  if (root.empty() || rest.find_first_of(kSeparators) != 0) return written;
  root.resize(root.find_last_not_of(kSeparators) + 1);
  return root + rest;
}

bool is_absolute(const std::string& path) {
  return std::filesystem::path(path).is_absolute() || path.starts_with(kFolder) ||
         path + '\\' == kFolder;
}

std::string complaint_about_address(const std::string& address) {
  if (!address.starts_with(kScheme)) {
    return "must be the address of a named pipe, npipe:////./pipe/name, not " + in_quotes(address);
  }
  const std::string pipe = path_of_address(address);
  if (!pipe.starts_with(kFolder) || pipe.size() == kFolder.size() || has_control_characters(pipe)) {
    return "must have the name of a pipe of this machine after npipe://, as //./pipe/name, not " +
           in_quotes(address);
  }
  if (pipe.size() <= kLongestName) return {};
  return "has a name of " + std::to_string(pipe.size()) + " characters; the name of a pipe has " +
         std::to_string(kLongestName) + " at most";
}

std::string compared_path(const std::string& path) {
  std::wstring name = text::file_path(path).lexically_normal().wstring();
  const int size = static_cast<int>(name.size());
  LCMapStringEx(LOCALE_NAME_INVARIANT, LCMAP_UPPERCASE, name.data(), size, name.data(), size,
                nullptr, nullptr, 0);
  return narrow(name);
}

std::vector<std::string> own_beginnings(const std::string& control_dir, const std::string& run_dir,
                                        bool serves_csi_proxy) {
  std::vector<std::string> beginnings{control_dir + '\\'};
  if (serves_csi_proxy) beginnings.push_back(run_dir + "\\csi-proxy-");
  return beginnings;
}

// A container is given pipes one by one.
bool is_control_exposed(const std::string& /*control_dir*/, const std::string& /*run_dir*/) {
  return false;
}

}  // namespace longshore::config
