#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tools/longshorectl/socket_diagnosis.h"

namespace longshore::ctl {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIsItRunning =
    "is longshored running, and is this its control socket (--socket)?";

// The first folder on the way that may not be entered, or the socket itself.
fs::path closed_to_us(const fs::path& socket) {
  fs::path way;
  for (const fs::path& part : fs::absolute(socket).parent_path()) {
    way /= part;
    if (::access(way.c_str(), X_OK) != 0) return way;
  }
  return socket;
}

std::string user_text(uid_t user) {
  const passwd* const entry = ::getpwuid(user);  // this program has one thread
  return entry == nullptr ? "the user " + std::to_string(user) : entry->pw_name;
}

// Who else the mode lets in, as at a socket for drivers; empty: nobody.
std::string group_text(const struct stat& facts) {
  const mode_t enough = S_ISDIR(facts.st_mode) ? S_IXGRP : S_IWGRP;
  if (facts.st_gid == 0 || (facts.st_mode & enough) == 0) return {};
  const group* const entry = ::getgrgid(facts.st_gid);  // as above
  return " and the group " + (entry == nullptr ? std::to_string(facts.st_gid) : entry->gr_name);
}

Error forbidden(Error error, const std::string& socket) {
  const fs::path closed = closed_to_us(socket);
  struct stat facts {};
  std::string who = "root and the agent's own user";
  if (::lstat(closed.c_str(), &facts) == 0) {
    error = std::move(error).because("permission denied: " + closed.string() + " belongs to " +
                                     user_text(facts.st_uid));
    if (facts.st_uid == 0) who = "root";
    who += group_text(facts);
  } else {
    error = std::move(error).because("permission denied on the way to it");
  }
  return std::move(error).advise("only " + who + " may use this socket; try sudo");
}

}  // namespace

Error not_reachable(const std::string& socket, std::error_code code) {
  Error error(StatusCode::kUnavailable, "reach the agent at", socket);
  if (code == std::errc::permission_denied) return forbidden(std::move(error), socket);
  std::error_code ignored;
  const fs::file_status status = fs::status(socket, ignored);
  if (code == std::errc::no_such_file_or_directory) {
    return std::move(error).because("there is no such socket").advise(kIsItRunning);
  }
  if (fs::exists(status) && !fs::is_socket(status)) {
    return std::move(error)
        .because(fs::is_directory(status) ? "it is a directory" : "it is not a socket")
        .advise("--socket takes the control socket, as in " +
                std::string("/run/longshore-control/control.sock"));
  }
  if (code == std::errc::connection_refused) {
    return std::move(error)
        .because("nobody listens at it (" + code.message() +
                 "): the process that made it has ended")
        .advise("start longshored");
  }
  if (code == std::errc::wrong_protocol_type) {
    return std::move(error).because("it is a socket of another kind").advise(kIsItRunning);
  }
  return std::move(error).because(code).advise(kIsItRunning);
}

}  // namespace longshore::ctl
