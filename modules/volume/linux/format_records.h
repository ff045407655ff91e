// Which filesystems volumes were given here and have not been mounted with since: a file for each
// volume in the state directory, with a filesystem's uuid on each line. Volumes are known by their
// ids without "@", which copies that come and go do not change; so copies share a file, and each
// has a line of its own there.
//
// The uuid is chosen and recorded before mkfs runs; that of ntfs, which its mkfs chooses, right
// after it. FormatVolume leaves a filesystem of such a uuid as it is and succeeds: so a call that
// was not answered, because the agent was killed before or after mkfs ended, can be repeated; with
// ntfs only if it was killed after. Mounting the filesystem removes its line.
//
// Such a line only ever keeps something from being formatted. What it does not know of - another
// node that mounted the volume, a filesystem that others made since, a record that a crash brought
// back - therefore costs no data.
//
// One more line says that an mkfs has begun, until it has succeeded or the volume is mounted. What
// lies at the ends of such a volume without any signature is what that mkfs left, and is formatted
// again. It is flushed, since mkfs' own writes outlive a power failure too. A copy's line is for
// that copy alone.
//
// Threads and processes: any number at once; a lock on the directory lets one write at a time, and
// who does not get it within half a second changes nothing.
// Without a state directory nothing is remembered.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::volume {

class FormatRecords {
 public:
  // The newest lines of a volume are kept, which are enough for as many copies.
  static constexpr size_t kMostLines = 32;

  // `directory` exists, or is "".
  explicit FormatRecords(std::string directory) : directory_(std::move(directory)) {}

  // Whether the volume, or a copy of it, was given the filesystem. An error: nobody can say, and
  // whoever asked must not be told that the volume is somebody else's.
  Result<bool> contains(const std::string& volume_id, const std::string& uuid) const;
  Result<void> add(const std::string& volume_id, const std::string& uuid) const;
  // Leaves the line where it cannot be taken out: that makes a repeated FormatVolume succeed that
  // should say that the volume was used, and formats nothing.
  void remove(const std::string& volume_id, const std::string& uuid) const;

  // Of a volume, of which `unique_id` is the id that no copy shares: with the filesystem's uuid, or
  // "" for one that mkfs chooses.
  Result<void> begin(const std::string& volume_id, const std::string& unique_id,
                     const std::string& uuid) const;
  Result<bool> is_begun(const std::string& volume_id, const std::string& unique_id) const;
  // Leaves the line where it cannot be taken out.
  void end(const std::string& volume_id, const std::string& unique_id) const;

 private:
  std::string path_of(const std::string& volume_id) const;
  Result<void> append(const std::string& volume_id, const std::vector<std::string>& lines) const;
  Result<std::vector<std::string>> uuids_of(const std::string& volume_id) const;
  Result<void> write(const std::string& path, const std::vector<std::string>& uuids) const;

  std::string directory_;
};

}  // namespace longshore::volume
