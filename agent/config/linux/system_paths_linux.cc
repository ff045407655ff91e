#include <filesystem>

#include "config/control_characters.h"
#include "config/system_paths.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

constexpr std::string_view kScheme = "unix://";
constexpr size_t kLongestSocketPath = 107;  // sockaddr_un has 108 bytes, the last is 0

// With a slash at its end.
std::string folder(const std::string& path) {
  return (std::filesystem::path(path) / "").lexically_normal().string();
}

}  // namespace

std::string path_of_address(std::string_view address) {
  return std::string(address.substr(kScheme.size()));
}

std::string expanded_path(const std::string& written) { return written; }

bool is_absolute(const std::string& path) { return std::filesystem::path(path).is_absolute(); }

std::string complaint_about_address(const std::string& address) {
  if (!address.starts_with(kScheme)) {
    return "must be the address of a Unix socket, unix:///absolute/path, not " + in_quotes(address);
  }
  const std::string socket = path_of_address(address);
  if (has_control_characters(socket) || !is_absolute(socket)) {
    return "must have an absolute path after unix://, without control characters, not " +
           in_quotes(address);
  }
  if (!std::filesystem::path(socket).lexically_normal().has_filename()) {
    return "must name a socket, not a folder: " + in_quotes(address);
  }
  if (socket.size() <= kLongestSocketPath) return {};
  return "has a path of " + std::to_string(socket.size()) + " bytes; the path of a socket has " +
         std::to_string(kLongestSocketPath) + " at most";
}

std::string compared_path(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

std::vector<std::string> own_beginnings(const std::string& control_dir, const std::string& run_dir,
                                        bool /*serves_csi_proxy*/) {
  return {folder(control_dir), folder(run_dir) + "csi-proxy/"};
}

bool is_control_exposed(const std::string& control_dir, const std::string& run_dir) {
  return folder(control_dir).starts_with(folder(run_dir));
}

}  // namespace longshore::config
