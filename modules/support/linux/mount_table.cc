#include "support/linux/mount_table.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

namespace longshore::support {
namespace {

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

// Takes the first word away.
std::string_view take_word(std::string_view& line) {
  const size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

template <typename Number>
Number number_in(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "36 35 98:0 /root /mount/point options [more fields] - type source options"
std::optional<Mount> parse(std::string_view line) {
  Mount mount;
  mount.id = number_in<uint64_t>(take_word(line));
  mount.parent = number_in<uint64_t>(take_word(line));
  const std::string_view device = take_word(line);
  const size_t colon = device.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  mount.device = makedev(number_in<unsigned>(device.substr(0, colon)),
                         number_in<unsigned>(device.substr(colon + 1)));
  mount.root = unescaped(take_word(line));
  mount.point = unescaped(take_word(line));
  while (!line.empty() && take_word(line) != "-") {
  }
  mount.type = unescaped(take_word(line));
  mount.source = unescaped(take_word(line));
  mount.options = unescaped(take_word(line));
  if (mount.type.empty()) return std::nullopt;
  return mount;
}

}  // namespace

Result<std::vector<Mount>> parse_mounts(std::string_view table, const std::string& path) {
  std::vector<Mount> mounts;
  while (!table.empty()) {
    const std::string_view line = table.substr(0, table.find('\n'));
    auto mount = parse(line);
    if (!mount) {
      return Error(StatusCode::kInternal, "read the list of mounts", path)
          .because("a line is not as it should be: " + std::string(line));
    }
    mounts.push_back(*std::move(mount));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
  }
  return mounts;
}

Result<std::vector<Mount>> read_mounts(const std::string& process) {
  const std::string path = "/proc/" + process + "/mountinfo";
  std::ifstream file(path);
  std::string table;
  for (std::string line; std::getline(file, line);) table.append(line).append("\n");
  if (!file.eof()) {
    return Error(StatusCode::kInternal, "read the list of mounts", path)
        .because("it ended early or could not be opened");
  }
  return parse_mounts(table, path);
}

}  // namespace longshore::support
