#include "support/linux/block/device_stack.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <deque>
#include <set>

#include "support/linux/block/sysfs.h"

namespace longshore::block {

std::vector<StackedDisk> stack_of(dev_t device, const std::string& sysfs_root) {
  const std::string devices = sysfs_root + "/dev/block/";
  std::set<std::string> seen;
  std::deque<std::string> pending = {std::to_string(major(device)) + ":" +
                                     std::to_string(minor(device))};
  std::vector<StackedDisk> stack;
  while (!pending.empty()) {
    const std::string path = devices + pending.front();
    pending.pop_front();
    const bool is_partition = read_number_attribute(path + "/partition").has_value();
    const std::string whole = is_partition ? path + "/.." : path;
    const auto number = read_text_attribute(whole + "/dev");
    if (!number || !seen.insert(*number).second) continue;
    const std::vector<std::string> slaves = names_in(whole + "/slaves");
    if (const std::string name = link_name(devices + *number); !name.empty()) {
      stack.push_back({name, slaves.empty()});
    }
    for (const std::string& slave : slaves) {
      if (const auto below = read_text_attribute(whole + "/slaves/" + slave + "/dev")) {
        pending.push_back(*below);
      }
    }
  }
  return stack;
}

std::string bulkhead_of(dev_t device, const std::string& sysfs_root) {
  const std::vector<StackedDisk> stack = stack_of(device, sysfs_root);
  if (stack.empty()) return {};
  const bool has_one = std::ranges::count(stack, true, &StackedDisk::is_lowest) == 1;
  const auto disk =
      has_one ? std::ranges::find(stack, true, &StackedDisk::is_lowest) : stack.begin();
  const auto number = read_number_attribute(sysfs_root + "/block/" + disk->name + "/diskseq");
  return number ? "disk " + std::to_string(*number) : std::string();
}

}  // namespace longshore::block
