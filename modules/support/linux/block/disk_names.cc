#include "support/linux/block/disk_names.h"

#include <algorithm>

namespace longshore::block {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  pattern.remove_prefix(star + 1);
  for (size_t rest = star; rest <= name.size(); ++rest) {
    if (matches(pattern, name.substr(rest))) return true;
  }
  return false;
}

}  // namespace

Result<DiskNames> DiskNames::from(const std::vector<std::string>& patterns) {
  constexpr const char* kOperation = "use as a pattern of disk names";
  if (patterns.empty()) {
    return Error(StatusCode::kInvalidArgument, "serve disks")
        .because("the option disk_names is empty")
        .advise("name at least one, such as \"sd*\", or disable the module");
  }
  for (const std::string& pattern : patterns) {
    if (pattern.empty() || pattern.size() > 32 || std::ranges::count(pattern, '*') > 4 ||
        pattern.find_first_of("/ \t") != std::string::npos) {
      return Error(StatusCode::kInvalidArgument, kOperation, pattern)
          .because("no disk can have such a name")
          .advise("write the kernel's name without /dev/, such as \"sda\" or \"nvme*\"");
    }
  }
  return DiskNames(patterns);
}

bool DiskNames::includes(std::string_view name) const {
  return std::ranges::any_of(patterns_,
                             [&](const std::string& pattern) { return matches(pattern, name); });
}

}  // namespace longshore::block
