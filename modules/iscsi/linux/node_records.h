// Open-iscsi's database: which portals it knows, and the records of their targets.
//
// It is a folder of files (idbm): send_targets/<address>,<port>/st_config makes a portal known, and
// nodes/<target>/<address>,<port>,<group>/default is what a login goes by. iscsiadm makes and
// deletes them; here they are read, and the settings of a login are written into a record.
//
// CHAP secrets stand in a record only while iscsiadm is logging in by it. That loses nothing:
// iscsid keeps those of a session in its memory for the next connection, and one that was started
// anew takes them from the kernel (/sys/class/iscsi_session), never from the record. Whatever point
// the agent is killed at, no secret stays: a new record is written to a file that only root reads,
// whose name remove_leftovers() knows, and put in place by renaming it, with a mark in it by which
// remove_leftovers() finds it; the module calls that when it starts.
//
// Threads: any number at once; writing holds open-iscsi's lock, and so do the others who write.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "iscsi/iscsi_backend.h"
#include "iscsi/linux/record_text.h"
#include "longshore/result.hpp"

namespace longshore::iscsi {

struct NodeRecord {
  Portal portal;     // by the record's name, which may have an address for a host's name
  std::string path;  // of the record's file
};

class NodeRecords {
 public:
  // `folder` is the database, or "" for where this node has it: /var/lib/iscsi or /etc/iscsi,
  // looked up anew each time. `lock_folder` is where open-iscsi locks, and `patience` how long that
  // lock is waited for: as long as iscsiadm does.
  NodeRecords(std::string folder, std::string lock_folder,
              std::chrono::milliseconds patience = std::chrono::seconds(30))
      : folder_(std::move(folder)), lock_folder_(std::move(lock_folder)), patience_(patience) {}

  std::string folder() const;

  // The first of the places with a database in it, else the first that is there, else the last.
  static std::string place_of_database(const std::vector<std::string>& places);

  // Each once, whatever way its address is written. What is no portal's name is left out.
  std::vector<Portal> portals() const;
  bool knows(const Portal& portal) const;

  // The records of a target at these addresses.
  std::vector<NodeRecord> find(const std::string& target, const std::vector<std::string>& addresses,
                               uint16_t port) const;

  // Removes records of the target at these addresses that are not whole: open-iscsi neither uses
  // nor replaces them. Success if there are none, or they are gone.
  Result<void> remove_broken(const std::string& target, const std::vector<std::string>& addresses,
                             uint16_t port) const;

  // The addresses at which the target was connected through the portal, as the records tell that
  // write() has written. Not those whose records went since, or that an administrator rewrote.
  std::vector<std::string> addresses_through(const Portal& portal, const std::string& target) const;

  // Writes the settings of a login through the portal into the record. With `has_secrets` it is
  // marked until forget_secrets(). Nothing is flushed: a login does not outlive a power failure,
  // and secrets that never reach the disk are the best. UNAVAILABLE: the record is gone.
  Result<void> write(const NodeRecord& record, const Portal& through,
                     const std::vector<RecordSetting>& settings, bool has_secrets) const;

  // Takes secrets of ours out of the record: those of a marked one, and `ours` in any case, which
  // are those that write() put there, and no power failure brings them back. Success if there is
  // none, or no record.
  Result<void> forget_secrets(const NodeRecord& record,
                              const std::vector<std::string_view>& ours) const;

  // Takes away the lock that a killed program left. Whoever runs iscsiadm with less time than that
  // waits for the lock calls it first. UNAVAILABLE: see DatabaseLock::take().
  Result<void> free_lock() const;

  // What an agent that was killed left. Success if there is no database. Waits for the lock only
  // if there is something.
  Result<void> remove_leftovers() const;

 private:
  std::vector<NodeRecord> records_of(const std::string& target, uint16_t port) const;
  enum class Flushing { kNone, kAll };
  Result<void> replace(const std::string& path, std::string_view text, Flushing flushing) const;
  Result<void> forget_secrets_locked(const std::string& path,
                                     const std::vector<std::string_view>& ours) const;
  std::vector<std::string> record_files() const;
  bool has_leftovers() const;
  std::string fresh_file() const { return folder() + "/.longshore-record"; }

  std::string folder_;
  std::string lock_folder_;
  std::chrono::milliseconds patience_;
};

}  // namespace longshore::iscsi
