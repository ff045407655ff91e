// Which filesystem a volume was given here and has not been mounted with since: a file for each
// volume in the state directory, with the filesystem's uuid. Volumes are known by their ids without
// "@", which copies that come and go do not change.
//
// The uuid is chosen and recorded before mkfs runs; that of ntfs, which its mkfs chooses, right
// after it. FormatVolume leaves a filesystem of this uuid as it is and succeeds: so a call that was
// not answered, because the agent was killed before or after mkfs ended, can be repeated; with ntfs
// only if it was killed after. Mounting the volume removes the record.
//
// A record only ever keeps something from being formatted. What it does not know of - another node
// that mounted the volume, a filesystem that others made since, a record that a crash brought back
// - therefore costs no data.
//
// Threads: any number at once, one at a time for a volume. Without a state directory nothing is
// remembered.
#pragma once

#include <optional>
#include <string>

#include "longshore/result.hpp"

namespace longshore::volume {

class FormatRecords {
 public:
  // `directory` exists, or is "".
  explicit FormatRecords(std::string directory) : directory_(std::move(directory)) {}

  // The uuid. Nothing if there is none, also if it cannot be read.
  std::optional<std::string> find(const std::string& volume_id) const;
  Result<void> set(const std::string& volume_id, const std::string& uuid) const;
  void remove(const std::string& volume_id) const;

 private:
  std::string path_of(const std::string& volume_id) const;

  std::string directory_;
};

}  // namespace longshore::volume
