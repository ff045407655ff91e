#include "supervise/linux/cgroups.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <string_view>

#include "supervise/linux/cgroup_file.h"
#include "supervise/linux/cgroup_tree.h"

namespace longshore::supervise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kControllers[] = {"cpu", "memory", "pids"};
constexpr std::string_view kEnding = "module-";
constexpr std::string_view kLasting = "lasting-";

bool has_word(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  for (std::string each; words >> each;) {
    if (each == word) return true;
  }
  return false;
}

void disable_controllers(const std::string& folder) {
  for (const std::string controller : kControllers) {
    static_cast<void>(write_control_file(folder + "/cgroup.subtree_control", '-' + controller));
  }
}

}  // namespace

std::shared_ptr<Cgroups> Cgroups::take(const std::string& process) {
  std::shared_ptr<Cgroups> groups(new Cgroups);
  groups->why_none_ = groups->find(process);
  if (groups->why_none_.empty()) groups->why_none_ = groups->lock();
  if (groups->why_none_.empty()) groups->why_none_ = groups->enter_leaf();
  if (!groups->why_none_.empty()) return groups;
  groups->remove_leftovers();
  groups->enable_controllers();
  return groups;
}

Cgroups::~Cgroups() {
  if (available()) disable_controllers(folder_);
}

void Cgroups::give_back(const std::string& process) {
  constexpr std::string_view kBelow = "/.control";
  const auto place = place_in_tree(process);
  if (!place || !place->folder.ends_with(kBelow)) return;
  disable_controllers(place->folder.substr(0, place->folder.size() - kBelow.size()));
}

std::string Cgroups::find(const std::string& process) {
  auto place = place_in_tree(process);
  if (!place) return place.error().message();
  folder_ = std::move(place->folder);
  const std::string members = read_control_file(folder_ + "/cgroup.procs");
  if (members == std::to_string(getpid()) + '\n') return {};
  return "the agent is not alone in its control group " + place->group +
         "; longshore.service makes it so";
}

// Another agent may have left this group for its leaf. What it has made is not for us to remove.
std::string Cgroups::lock() {
  lock_ = FileDescriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::error_code error =
      lock_ ? error_unless(::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) : lock_.error();
  if (!error) return {};
  return "the control group in " + folder_ + " cannot be locked: " + error.message();
}

std::string Cgroups::enter_leaf() const {
  const std::string leaf = folder_ + "/agent";
  const std::error_code error = error_unless(::mkdir(leaf.c_str(), 0755) == 0);
  if (error && error != std::errc::file_exists) {
    return "the folder " + leaf + " cannot be made: " + error.message();
  }
  const auto entered = write_control_file(leaf + "/cgroup.procs", std::to_string(getpid()));
  return entered ? std::string() : entered.error().message();
}

void Cgroups::remove_leftovers() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kEnding)) kill_and_remove_group(entry.path());
    if (name.starts_with(kLasting)) ::rmdir(entry.path().c_str());
  }
}

void Cgroups::enable_controllers() {
  const std::string there = read_control_file(folder_ + "/cgroup.controllers");
  for (const std::string controller : kControllers) {
    if (!has_word(there, controller)) {
      faults_[controller] =
          "the controller " + controller + " is not in " + folder_ + "/cgroup.controllers";
    } else if (auto enabled =
                   write_control_file(folder_ + "/cgroup.subtree_control", '+' + controller);
               !enabled) {
      faults_[controller] = enabled.error().message();
    }
  }
}

std::string Cgroups::why_not(const std::string& controller) const {
  if (!available()) return why_none_;
  const auto fault = faults_.find(controller);
  return fault == faults_.end() ? std::string() : fault->second;
}

Result<Cgroup> Cgroups::enclose(pid_t process, const std::string& module, GroupLimits limits) {
  const bool ends_all = limits.processes > 0;
  if (!why_not("cpu").empty()) limits.processors = 0;
  if (!why_not("memory").empty()) limits.memory = 0;
  if (!why_not("pids").empty()) limits.processes = 0;
  const std::string path = folder_ + '/' + std::string(ends_all ? kEnding : kLasting) + module;
  // Two processes of a module are there while it is upgraded, or since one hangs in the kernel.
  constexpr int kMost = 100;
  const std::lock_guard lock(making_);
  for (int number = 1; number <= kMost; ++number) {
    const std::string folder = number == 1 ? path : path + '-' + std::to_string(number);
    std::weak_ptr<const void>& owner = owners_[folder];
    if (!owner.expired()) continue;  // even if it is empty: its owner has yet to end it
    ::rmdir(folder.c_str());         // whoever was left in it may be gone
    const std::error_code error = error_unless(::mkdir(folder.c_str(), 0755) == 0);
    if (error == std::errc::file_exists) continue;
    if (error) return Error(StatusCode::kUnknown, "make the control group", folder).because(error);
    const auto name = std::make_shared<const std::string>(folder);
    owner = name;
    Cgroup group(folder, ends_all, name);
    if (auto written = write_limits(folder, limits); !written) return std::move(written).error();
    if (auto added = group.add(process); !added) return std::move(added).error();
    return group;
  }
  return Error(StatusCode::kResourceExhausted, "make the control group", path)
      .because("too many processes of the module are left behind");
}

}  // namespace longshore::supervise
