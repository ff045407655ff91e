#include "support/linux/process_walk.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace longshore::support {

ProcessWalk::ProcessWalk(const Options& options)
    : proc_(options.proc),
      self_([&] {
        std::error_code none;
        return std::filesystem::read_symlink(options.proc + "/self", none).string();
      }()),
      last_(Deadline::Clock::now() + options.time),
      looks_(options.looks),
      processes_(FileDescriptor(::open(options.proc.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))) {
}

std::optional<std::string> ProcessWalk::next() {
  while (const auto entry = processes_.next()) {
    const bool is_process =
        std::ranges::all_of(entry->name, [](char c) { return c >= '0' && c <= '9'; });
    if (!is_process || entry->name == self_) continue;
    if (!may_look()) return std::nullopt;
    return proc_ + "/" + std::string(entry->name);
  }
  return std::nullopt;
}

bool ProcessWalk::may_look() {
  if (looks_ == 0 || Deadline::Clock::now() >= last_) {
    was_cut_short_ = true;
    return false;
  }
  --looks_;
  return true;
}

std::string process_name(const std::string& folder) {
  std::string name;
  std::getline(std::ifstream(folder + "/comm"), name);
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~'; }, '?');
  const std::string process = "process " + folder.substr(folder.rfind('/') + 1);
  return name.empty() ? process : process + " (" + name + ")";
}

}  // namespace longshore::support
