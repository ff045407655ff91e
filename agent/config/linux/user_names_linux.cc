#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "config/user_names.h"

namespace longshore::config {
namespace {

std::optional<unsigned> number_of(const std::string& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  // The system's -1 is nobody: chown leaves the owner as it is for it.
  if (number == std::numeric_limits<unsigned>::max()) return std::nullopt;
  return number;
}

// The two databases are asked in the same way: with a buffer that grows until it is enough.
template <typename Entry, typename Ask>
Result<Entry> look_up(const char* kind, const std::string& name, std::vector<char>& buffer,
                      const Ask& ask) {
  buffer.resize(1024);
  for (;;) {
    Entry entry{};
    Entry* found = nullptr;
    const int error = ask(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found) return entry;
    if (error != ERANGE) {
      return Error(StatusCode::kInvalidArgument, std::string("find the ") + kind, name)
          .because(error == 0 ? "there is none of that name"
                              : std::generic_category().message(error));
    }
    buffer.resize(buffer.size() * 2);
  }
}

}  // namespace

Result<unsigned> user_id_of(const std::string& name_or_number) {
  if (const auto number = number_of(name_or_number)) return *number;
  std::vector<char> buffer;
  const auto entry = look_up<passwd>("user", name_or_number, buffer, &getpwnam_r);
  if (!entry) return entry.error();
  return static_cast<unsigned>(entry->pw_uid);
}

Result<unsigned> group_id_of(const std::string& name_or_number) {
  if (const auto number = number_of(name_or_number)) return *number;
  std::vector<char> buffer;
  const auto entry = look_up<group>("group", name_or_number, buffer, &getgrnam_r);
  if (!entry) return entry.error();
  return static_cast<unsigned>(entry->gr_gid);
}

unsigned own_user_id() { return geteuid(); }

std::vector<unsigned> own_group_ids() {
  std::vector<unsigned> groups(static_cast<size_t>(std::max(getgroups(0, nullptr), 0)));
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<size_t>(std::max(count, 0)));
  groups.push_back(getegid());
  return groups;
}

int own_process_id() { return getpid(); }

}  // namespace longshore::config
