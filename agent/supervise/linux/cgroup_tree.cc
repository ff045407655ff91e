#include "supervise/linux/cgroup_tree.h"

#include <unistd.h>

#include <sstream>
#include <string_view>
#include <vector>

#include "supervise/linux/cgroup_file.h"

namespace longshore::supervise {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// mountinfo writes blank, tab, newline and backslash as a backslash and three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(i + 1, 3);
    if (text[i] == '\\' && digits.size() == 3 && is_octal(digits[0]) && is_octal(digits[1]) &&
        is_octal(digits[2])) {
      plain += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + digits[2] - '0');
      i += digits.size();
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Where the whole tree is mounted, also where cgroup v1 is mounted beside it.
std::vector<std::string> mount_points(const std::string& process) {
  std::vector<std::string> points;
  std::istringstream lines(read_control_file(process + "/mountinfo"));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    std::istringstream words(line);
    std::string number, parent, device, root, point;
    words >> number >> parent >> device >> root >> point;
    if (root == "/") points.push_back(unescaped(point));
  }
  return points;
}

// The process's group; empty: not told. Nothing is escaped here.
std::string group_of(const std::string& process) {
  constexpr std::string_view kMark = "0::";
  std::istringstream lines(read_control_file(process + "/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) return line.substr(kMark.size());
  }
  return {};
}

Error unknown(std::string why) { return Error::of_text(StatusCode::kNotFound, std::move(why)); }

}  // namespace

Result<PlaceInTree> place_in_tree(const std::string& process) {
  const std::vector<std::string> points = mount_points(process);
  if (points.empty()) return unknown("cgroup v2 is not mounted");
  const std::string group = group_of(process);
  if (group.empty() || group.starts_with("/..")) {
    return unknown("the agent's control group is not known");
  }
  std::string seen;
  for (const std::string& point : points) {
    std::string folder = group == "/" ? point : point + group;
    // What was mounted over it later hides a mount.
    if (::access((folder + "/cgroup.procs").c_str(), F_OK) == 0) {
      return PlaceInTree{group, std::move(folder)};
    }
    seen = folder;
  }
  return unknown("the agent's control group " + group + " is not in " + seen);
}

}  // namespace longshore::supervise
