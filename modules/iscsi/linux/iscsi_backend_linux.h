// The iscsi group on Linux: open-iscsi's iscsiadm for what changes, sysfs for what is.
//
// Every step can be repeated, and none depends on one that this process remembers: a portal is
// known if open-iscsi's database says so, a target is connected if the kernel says so. So whatever
// point the agent is killed at, the same call again reaches its goal. An iscsiadm that outlives the
// agent goes on to its own end; a login of its own then meets ours, which is success.
//
// iscsiadm binds nothing to network interfaces here (`-I default`).
//
// Threads: any number at once; no state but the configuration, and look-ups and scans that hang.
// Owner: the module; on destruction it waits for those.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "iscsi/iscsi_backend.h"
#include "iscsi/linux/iscsi_sessions.h"
#include "iscsi/linux/iscsiadm.h"
#include "iscsi/linux/node_records.h"
#include "iscsi/linux/portal_addresses.h"
#include "support/abandonable_calls.h"
#include "support/linux/block/block_devices.h"

namespace longshore::iscsi {

class IscsiBackendLinux final : public IscsiBackend {
 public:
  struct Options {
    std::string iscsiadm = {};  // "" is where distributions put it
    std::string database = {};  // "" is where this node has it
    // How long the target may take to answer a login, and the portal a discovery.
    std::chrono::milliseconds login_timeout = std::chrono::seconds(15);
    // For tests.
    std::string lock_folder = "/run/lock/iscsi";
    std::chrono::milliseconds lock_patience = std::chrono::seconds(30);
    std::string sysfs_root = "/sys";
    PortalAddresses::LookUp look_up = iscsi::look_up;
  };
  explicit IscsiBackendLinux(Options options);

  // Removes what an agent that was killed left: secrets in records, half-written records, the lock.
  Result<void> remove_leftovers() override { return records_.remove_leftovers(); }

  Result<std::vector<Portal>> portals() override { return records_.portals(); }
  Result<void> add_portal(const Portal& portal, const Deadline& deadline) override;
  Result<std::vector<std::string>> discover(const Portal& portal,
                                            const Deadline& deadline) override;
  Result<void> remove_portal(const Portal& portal, const Deadline& deadline) override;
  Result<void> connect(const Target& target, const Login& login, const Deadline& deadline) override;
  Result<void> disconnect(const Target& target, const Deadline& deadline) override;
  Result<std::vector<uint32_t>> disks(const Target& target, const Deadline& deadline) override;

 private:
  // How long one run of iscsiadm may take that talks to a portal: to discover, and to log in or
  // out.
  std::chrono::milliseconds discovery_limit() const;
  std::chrono::milliseconds session_limit() const;

  // In portals_and_targets.cc.
  Result<std::vector<std::string>> ask(const Portal& portal,
                                       const std::vector<std::string>& operations) const;
  Result<void> change_portal(const Portal& portal, const char* change, const char* operation) const;

  // In session_login.cc.
  // `addresses` are for a session that is made, `all` for one that somebody else makes meanwhile.
  Result<void> make_session(const Target& target, const std::vector<std::string>& addresses,
                            const std::vector<std::string>& all, const Login& login,
                            const Deadline& deadline);
  Result<NodeRecord> find_record(const Target& target, const std::vector<std::string>& addresses,
                                 const Deadline& deadline);
  // How iscsiadm ended: kSuccess, or kSessionExists, which says nothing of that session's state.
  Result<ExitCode> log_in(const Target& target, const NodeRecord& record, const Login& login) const;
  Result<void> write_login(const Target& target, const NodeRecord& record,
                           const Login& login) const;
  Result<void> await_login(const Target& target, const std::vector<std::string>& addresses,
                           const Deadline& deadline) const;
  // Units come with a login only where open-iscsi is to scan for them.
  Result<void> scan_unscanned(const Target& target, const std::vector<std::string>& addresses,
                              const Deadline& deadline);
  Result<void> scan(const Session& session, const Target& target, const Deadline& deadline);

  // In session_logout.cc.
  Result<void> log_out(const Session& session, const Target& target) const;
  Result<void> delete_records(const Target& target,
                              const std::vector<std::string>& addresses) const;

  // In session_disks.cc.
  // The addresses, and those by which the target was connected through the portal: where sessions
  // through it may be, while a new one is made at the first only.
  std::vector<std::string> with_earlier(const Target& target,
                                        std::vector<std::string> addresses) const;
  std::vector<Session> sessions_of(const Target& target,
                                   const std::vector<std::string>& addresses) const;
  Result<std::vector<block::Disk>> disks_of(const std::vector<Session>& sessions) const;

  const std::chrono::milliseconds login_timeout_;
  const Iscsiadm iscsiadm_;
  const NodeRecords records_;
  const IscsiSessions sessions_;
  PortalAddresses addresses_;
  support::AbandonableCalls<Result<void>> scans_{32};  // by the session
  const block::BlockDevices devices_;
};

}  // namespace longshore::iscsi
