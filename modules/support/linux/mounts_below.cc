#include "support/linux/mounts_below.h"

#include <limits.h>

#include <fstream>
#include <string_view>

namespace longshore::support {
namespace {

constexpr const char* kMountTable = "/proc/self/mountinfo";

// The table writes blank, tab, newline and backslash as a backslash and three octal digits.
std::string unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text[0] == '\\' && text.size() >= 4) {
      plain += static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
      text.remove_prefix(4);
    } else {
      plain += text[0];
      text.remove_prefix(1);
    }
  }
  return plain;
}

// The mount point of a line: "36 35 98:0 /root /mount/point options ...".
std::string mount_point_of(const std::string& line) {
  std::string_view rest = line;
  for (int skipped = 0; skipped < 4; ++skipped) rest.remove_prefix(rest.find(' ') + 1);
  return unescaped(rest.substr(0, rest.find(' ')));
}

}  // namespace

Result<std::optional<std::string>> find_mount_below(const FileDescriptor& directory) {
  const std::string link = "/proc/self/fd/" + std::to_string(directory.get());
  char path[PATH_MAX];
  const ssize_t size = ::readlink(link.c_str(), path, sizeof(path));
  if (size < 0) return Error(StatusCode::kUnknown, "read the link", link).because(last_error());
  std::string above(path, static_cast<size_t>(size));
  if (above != "/") above += '/';

  std::ifstream table(kMountTable);
  for (std::string line; std::getline(table, line);) {
    std::string point = mount_point_of(line);
    if (point.size() > above.size() && point.starts_with(above)) return std::optional(point);
  }
  if (!table.eof()) {
    return Error(StatusCode::kInternal, "read the list of mounts", kMountTable)
        .because("it ended early or could not be opened");
  }
  return std::optional<std::string>();
}

}  // namespace longshore::support
