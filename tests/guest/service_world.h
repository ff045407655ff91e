// The agent as its package installs it: a service of the guest's systemd, with its sockets.
//
// Only in a guest with systemd, whose job has put the package's files in place.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "tests/guest/group_clients.h"
#include "tests/guest/systemctl.h"

namespace longshore::test {

// Lines of the configuration: a module that does harm, and an endpoint for it. In the agent itself,
// or in a process of its own with these lines about it.
std::string hostile_lines(const std::string& module,
                          const std::optional<std::string>& process = std::nullopt);
// What that module answers.
std::shared_ptr<Answer> provoke(const std::string& request);

class InstalledAgent : public GroupClients {
 public:
  // What callers may reach, where nothing is configured.
  static constexpr const char* kRoot = "/var/lib/kubelet";
  static std::string in_root(const std::string& name) { return std::string(kRoot) + "/" + name; }
  static constexpr const char* kService = "longshore.service";

  // Its sockets are there, the service is not started. `more`: as for `configure`.
  explicit InstalledAgent(const std::string& more = {});
  // Stops all, and ends what the service has left behind. AppArmor must have refused nothing.
  ~InstalledAgent();
  InstalledAgent(const InstalledAgent&) = delete;
  InstalledAgent& operator=(const InstalledAgent&) = delete;

  // Writes agent.toml with all six groups; `more` begins in the table of the group filesystem.
  void configure(const std::string& more) const;

  // Start, stop or whatever it is called with, which must succeed.
  void must(const std::string& verb);

  std::string property(const std::string& name) const { return unit_property(kService, name); }
  pid_t process() const;
  // The folder of its control group.
  std::string cgroup() const;

  // What the journal has of it since this object was made, as the agent wrote it.
  std::string journal() const;
  // What AppArmor refused meanwhile, as the kernel says it, a line each; and what it would have
  // refused, were its profile enforced.
  std::string refusals() const { return told_by_apparmor("DENIED"); }
  std::string allowances() const { return told_by_apparmor("ALLOWED"); }
  // That was asked for.
  void forget_journal();

  // PathExists of the root.
  StatusCode asks() const;

 private:
  std::string told_by_apparmor(const std::string& what) const;

  std::string cursor_;  // in the journal
};

}  // namespace longshore::test
