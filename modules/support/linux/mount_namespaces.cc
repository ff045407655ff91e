#include "support/linux/mount_namespaces.h"

#include <cstdint>
#include <fstream>
#include <unordered_set>
#include <utility>

namespace longshore::support {
namespace {

// One line of the table; nothing at its end, or if it is not as it should be.
std::optional<Mount> next_mount(std::ifstream& table, const std::string& path) {
  std::string line;
  if (!std::getline(table, line)) return std::nullopt;
  Result<std::vector<Mount>> mounts = parse_mounts(line, path);
  if (!mounts || mounts->empty()) return std::nullopt;
  return std::move(mounts->front());
}

// A blank as in the kernel's table: no point reads like words of ours.
std::string shown(const std::string& point) {
  constexpr size_t kShown = 256;
  std::string text;
  for (const char c : point.substr(0, kShown)) {
    text += c == ' ' ? "\\040" : std::string(1, c > ' ' && c <= '~' ? c : '?');
  }
  return point.size() > kShown ? text + "..." : text;
}

}  // namespace

std::string MountElsewhere::text() const {
  return "the mount \"" + shown(mount.point) + "\" of " + process + ", in another mount namespace";
}

std::optional<MountElsewhere> find_mount_elsewhere(const std::function<bool(const Mount&)>& is_it,
                                                   const ProcessWalk::Options& options) {
  // No two mounts of the node have one id: a table that begins with one that was seen is of a
  // namespace that was seen. Its inode would say so too, and asks for CAP_SYS_PTRACE.
  std::unordered_set<uint64_t> seen;
  std::ifstream own(options.proc + "/self/mountinfo");
  while (const auto mount = next_mount(own, "self")) seen.insert(mount->id);
  ProcessWalk processes(options);
  while (const auto folder = processes.next()) {
    const std::string path = *folder + "/mountinfo";
    std::ifstream table(path);
    auto mount = next_mount(table, path);
    if (mount && seen.contains(mount->id)) continue;
    for (; mount && processes.may_look(); mount = next_mount(table, path)) {
      // Another process of that namespace may see a part of it only.
      if (!seen.insert(mount->id).second) continue;
      if (is_it(*mount)) return MountElsewhere{process_name(*folder), *std::move(mount)};
    }
  }
  return std::nullopt;
}

}  // namespace longshore::support
