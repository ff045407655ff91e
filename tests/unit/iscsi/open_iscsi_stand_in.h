// Open-iscsi without a kernel: a folder with a program iscsiadm, its database, and a sysfs that
// tells of the sessions.
//
// The program (iscsiadm_stand_in.cc) keeps its arguments in `calls`, acts on the files below the
// folder that it lies in, and can be told to answer otherwise.
//
//   iscsiadm                       the program
//   calls                          a line for each run: its arguments, "|" between them
//   answer                         if it is there: the exit code of every run; or "hang"; or, of
//                                  a login, "exists" (15 and a session whose login goes on) or
//                                  "forget" (it rewrites the record first, without comments)
//   portals/<address>,<port>       the names of the targets, a line each
//   targets/<name>                 what it asks: lines of "username", "secret", "own_username",
//                                  "own_secret", "disks"
//   database/, lock/, sys/         what the backend looks at
#pragma once

#include <string>
#include <vector>

#include "iscsi/linux/iscsi_backend_linux.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/iscsi/target_setup.h"

namespace longshore::iscsi {

class OpenIscsiStandIn {
 public:
  OpenIscsiStandIn();

  IscsiBackendLinux::Options options() const;
  std::string path(const std::string& name) const { return directory_ / name; }
  std::string database() const { return directory_ / "database"; }
  std::string sysfs() const { return directory_ / "sys"; }

  void offer(const Target& target, const TargetSetup& setup);
  // "24", "hang"; "" is as usual again.
  void answer(const std::string& what) const;

  // The arguments of each run so far, "|" between them.
  std::vector<std::string> calls() const;
  // The file of the target's record.
  std::string record_of(const Target& target) const;
  // Whether any file below the folder, but for the target's own, has the text in it.
  bool has_anywhere(const std::string& text) const;

 private:
  test::TemporaryDirectory directory_;
};

}  // namespace longshore::iscsi
