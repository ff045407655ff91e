#include "volume/linux/mount_unit.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "support/hexadecimal.h"

namespace longshore::volume {
namespace {

constexpr const char* kMountOn = "mount on";  // a target

// It looks within milliseconds, but while many mounts come and go not before the second is over.
constexpr std::chrono::seconds kReaction{3};
constexpr std::chrono::milliseconds kPollInterval{10};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':' ||
         c == '_' || c == '.';
}

}  // namespace

std::vector<std::string> unit_directories() {
  return {"/etc/systemd/system.control", "/run/systemd/system.control",
          "/run/systemd/transient",      "/run/systemd/generator.early",
          "/etc/systemd/system",         "/etc/systemd/system.attached",
          "/run/systemd/system",         "/run/systemd/system.attached",
          "/run/systemd/generator",      "/usr/local/lib/systemd/system",
          "/usr/lib/systemd/system",     "/run/systemd/generator.late"};
}

// systemd.unit(5), "STRING ESCAPING FOR INCLUSION IN UNIT NAMES".
std::string mount_unit_name(std::string_view path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  std::string name;
  for (const char c : path) {
    if (c == '/') {
      name += '-';
    } else if (is_plain(c) && !(c == '.' && name.empty())) {
      name += c;
    } else {
      name += "\\x" + support::hexadecimal(std::string_view(&c, 1));
    }
  }
  return (name.empty() ? "-" : name) + ".mount";
}

std::optional<std::string> mount_unit_of(std::string_view path,
                                         const std::vector<std::string>& directories) {
  const std::string name = mount_unit_name(path);
  for (const std::string& directory : directories) {
    std::string file = directory + "/" + name;
    // A link to nowhere, too: it may have led somewhere when systemd read it.
    struct stat status {};
    if (::lstat(file.c_str(), &status) == 0) return file;
  }
  return std::nullopt;
}

Result<void> outlast_mount_unit(const std::string& path,
                                const std::vector<std::string>& directories,
                                const std::function<bool()>& is_mounted, const Deadline& deadline) {
  const std::optional<std::string> unit = mount_unit_of(path, directories);
  if (!unit) return {};
  const auto end = Deadline::Clock::now() + kReaction;
  while (is_mounted()) {
    if (Deadline::Clock::now() >= end) return {};
    if (auto exceeded = deadline.exceeded(kMountOn, path)) return *std::move(exceeded);
    std::this_thread::sleep_for(kPollInterval);
  }
  return Error(StatusCode::kFailedPrecondition, kMountOn, path)
      .because(
          "it was mounted and has been unmounted again, as systemd does whose unit for this "
          "path cannot be active (its disk may be gone): " +
          *unit)
      .advise(
          "remove or mend the unit (a line in /etc/fstab makes those in generator), run "
          "\"systemctl daemon-reload\", and call again");
}

}  // namespace longshore::volume
