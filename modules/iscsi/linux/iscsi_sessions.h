// The kernel's iSCSI sessions, as sysfs tells of them: iscsiadm's texts are never read for this.
//
// Attributes that hold CHAP secrets (password, password_in) are never opened.
//
// Threads: immutable; every call looks anew. sysfs's root is a parameter for the tests.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include "iscsi/portal.h"

namespace longshore::iscsi {

struct Session {
  uint32_t number = 0;  // what iscsiadm calls its sid
  std::string target;
  // Where it was told to connect to, also if the target sent it elsewhere.
  Portal portal;
  // False while the connection is lost or not made yet.
  bool is_logged_in = false;
};

// What came with a session.
struct SessionUnits {
  bool has_any = false;            // also of those that are no disks
  std::vector<std::string> disks;  // the kernel's names: "sda"
  // Units that are disks and of which the kernel has not made one yet that can be opened.
  bool has_unmade_disks = false;
};

class IscsiSessions {
 public:
  explicit IscsiSessions(std::string sysfs_root = "/sys") : sysfs_(std::move(sysfs_root)) {}

  // By number. Those of which nothing can be read are left out: they are coming or going.
  std::vector<Session> all() const;

  SessionUnits units_of(const Session& session) const;

  // Lets the kernel ask the target of the session for its units, and returns when it has. A session
  // that is gone is success.
  std::error_code scan(const Session& session) const;

  // Whether the kernel has iSCSI over TCP, loaded by now.
  bool has_tcp() const;

 private:
  std::string device_of(const Session& session) const;

  std::string sysfs_;
};

}  // namespace longshore::iscsi
