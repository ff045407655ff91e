// The agent's part of the tree of control groups (cgroup v2), below the group it is started in:
//
//   agent            the agent, with what modules in it have started
//   module-<name>    a module's process and all that it has started, which ends with it
//   lasting-<name>   likewise without a limit of their number: what it leaves behind, such as an
//                    mkfs that has to run to its end, goes on and keeps the folder
//
// It has to be alone in that group, as it is where systemd's Delegate= or a container gives it one,
// since the kernel sets limits below a group only when no process is in the group itself. Anywhere
// else nothing is moved and nothing is made.
//
// Threads: any. Owner: shared by the agent and the modules that have a process.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "supervise/linux/cgroup.h"

namespace longshore::supervise {

class Cgroups {
 public:
  // Moves this process into its leaf, and removes what an agent that was killed has left behind.
  // `process`: where /proc tells of this process.
  static std::shared_ptr<Cgroups> take(const std::string& process = "/proc/self");
  // Gives the controllers back: what goes on without the agent is not limited any more, and a
  // process can be started in the agent's group again.
  ~Cgroups();
  Cgroups(const Cgroups&) = delete;
  Cgroups& operator=(const Cgroups&) = delete;

  // Gives back what an agent that was killed could not, so that the next can be started in its
  // group. Called by a process in the group ".control" below that, where systemd runs what comes
  // after a service with Delegate=; does nothing anywhere else.
  static void give_back(const std::string& process = "/proc/self");

  // Why `controller` ("cpu", "memory", "pids") limits nothing here; empty: it does.
  std::string why_not(const std::string& controller) const;
  // Whether modules' processes can have groups at all.
  bool available() const { return why_none_.empty(); }

  // Puts a process of the module into a group of its own, with those of the limits that can be set.
  Result<Cgroup> enclose(pid_t process, const std::string& module, GroupLimits limits);

 private:
  Cgroups() = default;
  // Three steps, each of which says what is in the way, or nothing.
  std::string find(const std::string& process);
  std::string lock();
  std::string enter_leaf() const;
  void remove_leftovers() const;
  void enable_controllers();

  std::string folder_;                         // of the group that the agent was started in
  FileDescriptor lock_;                        // of that folder
  std::string why_none_;                       // empty: it is ours
  std::map<std::string, std::string> faults_;  // by controller; absent: it can be used
  std::mutex making_;  // a folder is empty, and may be removed, until its process is in it
  // By folder. A group is ended by its folder's name, which nobody else may have until then.
  std::map<std::string, std::weak_ptr<const void>> owners_;
};

}  // namespace longshore::supervise
