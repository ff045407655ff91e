// What must be known of a volume's formatting after a crash: a file for each in the state
// directory.
//
//   none    nothing was begun here, or the volume was mounted since
//   begun   mkfs may have been cut short: a filesystem with this uuid is nobody's
//   done    mkfs ended, and the filesystem with this uuid has never been mounted: formatting it
//           again would change nothing, so a call that was not answered can be repeated
//
// The uuid is chosen before mkfs runs. A volume with another one was formatted by somebody else
// since, and no record says anything of it.
//
// A record is on the disk before what it announces begins.
//
// Threads: any number at once, one at a time for a volume. Without a state directory nothing is
// remembered.
#pragma once

#include <optional>
#include <string>

#include "longshore/result.hpp"

namespace longshore::volume {

struct FormatRecord {
  bool is_done = false;
  std::string uuid;  // of the filesystem; "" if mkfs cannot be given one (ntfs)
};

class FormatRecords {
 public:
  // `directory` exists, or is "".
  explicit FormatRecords(std::string directory) : directory_(std::move(directory)) {}

  // Nothing if there is none, also if it cannot be read: then what is on the volume counts.
  std::optional<FormatRecord> find(const std::string& volume_id) const;
  Result<void> set(const std::string& volume_id, const FormatRecord& record) const;
  void remove(const std::string& volume_id) const;

 private:
  std::string path_of(const std::string& volume_id) const;

  std::string directory_;
};

}  // namespace longshore::volume
