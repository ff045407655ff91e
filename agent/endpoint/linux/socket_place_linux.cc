#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "endpoint/linux/found_socket.h"
#include "endpoint/socket_place.h"
#include "files/linux/other_process.h"
#include "files/state_lock.h"

namespace longshore::endpoint {
namespace {

namespace fs = std::filesystem;

constexpr int kServiceManager = 1;

// /proc/net/unix: "0000: 00000002 00000000 00010000 0001 01 12345 /run/a.sock"; 00010000 is a
// socket that listens. Its inode, or nothing.
std::string listening_inode(const std::string& path) {
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    std::istringstream words(line);
    std::string address, references, protocol, flags, type, state, inode, name;
    words >> address >> references >> protocol >> flags >> type >> state >> inode >> std::ws;
    std::getline(words, name);
    if (name == path && flags == "00010000") return inode;
  }
  return {};
}

bool has_open(const fs::path& process, const std::string& target) {
  std::error_code ended_or_forbidden;
  for (const auto& file : fs::directory_iterator(process / "fd", ended_or_forbidden)) {
    if (fs::read_symlink(file.path(), ended_or_forbidden) == target) return true;
  }
  return false;
}

// The processes that have the socket open, as far as this one may know.
std::vector<int> holders_of(const std::string& inode) {
  std::vector<int> holders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    int process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (has_open(entry.path(), "socket:[" + inode + "]")) holders.push_back(process);
  }
  return holders;
}

// Whether it is only this process that may not look there.
bool is_hidden(const Error& error) { return error.system() == std::errc::permission_denied; }

}  // namespace

Result<void> check_socket_place(const std::string& path, const std::string& state_dir) {
  const fs::path whole(path);
  const auto folder = files::TrustedFolder::open(whole.parent_path().string());
  if (!folder) {
    if (folder.error().code() == StatusCode::kNotFound) return {};  // it would be made
    if (is_hidden(folder.error())) return {};
    return cannot_listen(path, folder.error().code()).because(folder.error().message());
  }
  const auto found = find_socket(*folder, whole.filename().string(), path);
  if (!found && is_hidden(found.error())) return {};
  if (!found) return found.error();
  const std::string inode = *found ? listening_inode(path) : std::string();
  if (inode.empty()) return {};
  const std::vector<int> holders = holders_of(inode);
  const int agent = files::StateLock::owner_of(state_dir).value_or(0);
  for (const int holder : holders) {
    if (holder == kServiceManager || holder == agent) return {};
  }
  if (holders.empty()) return {};
  return files::taken_by(holders.front(), cannot_listen(path, StatusCode::kFailedPrecondition),
                         "listens on it", "run_dir and control_dir");
}

}  // namespace longshore::endpoint
