#include <algorithm>
#include <filesystem>

#include "config/control_characters.h"
#include "config/system_paths.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

constexpr std::string_view kScheme = "npipe://";
constexpr std::string_view kFolder = R"(\\.\pipe\)";
constexpr size_t kLongestName = 256;  // of a pipe, with its folder

}  // namespace

// Kubernetes writes slashes; both are taken, and doubled ones, as csi-proxy's, are one.
std::string path_of_address(std::string_view address) {
  std::string path(address.substr(kScheme.size()));
  std::replace(path.begin(), path.end(), '/', '\\');
  return path;
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

// A container is given pipes one by one.
bool is_control_exposed(const std::string& /*control_dir*/, const std::string& /*run_dir*/) {
  return false;
}

}  // namespace longshore::config
