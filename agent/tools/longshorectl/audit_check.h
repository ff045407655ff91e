// Whether the files of an audit log are whole, as far as their chain of hashes and the anchors in
// the agent's ordinary log tell.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "observe/audit_chain.h"

namespace longshore::ctl {

class AuditCheck {
 public:
  // The files in any order.
  void add_file(const std::string& name, std::istream& lines);
  // Lines of the agent's log, or of journalctl.
  void add_journal(std::istream& lines);

  struct Result {
    std::vector<std::string> findings;  // what is wrong; empty: nothing
    std::vector<std::string> remarks;
    uint64_t lines = 0;
    uint64_t anchors = 0;  // that were compared
  };
  Result result() const;

 private:
  struct Line {
    size_t place = 0;  // in the file
    uint64_t number = 0;
    std::string hash;
    std::string content;
  };
  struct File {
    std::string name;
    std::string chain;
    std::vector<Line> lines;
    std::vector<std::string> faults;
    bool is_torn = false;
  };

  static void check_chain(const std::vector<const File*>& files, Result& result);
  void compare_anchors(const std::string& chain, const std::vector<const File*>& files,
                       Result& result) const;
  static void tell_lost(const std::vector<const File*>& files, Result& result);
  void tell_losses(const std::string& chain, const std::vector<const File*>& files,
                   Result& result) const;
  static void tell_unfinished(const std::vector<const File*>& files, Result& result);

  std::vector<File> files_;
  std::vector<observe::AuditLink> anchors_;
  std::vector<observe::AuditLoss> losses_;
  bool has_journal_ = false;
};

}  // namespace longshore::ctl
