// A Windows node that is made up, in memory: disks and volumes, a filesystem, a file server's
// share. Layers for the groups' backends, and what happens on a node beside them: a kubelet and
// pods that use its files, somebody who makes the disk larger or pulls it out.
//
// What a file holds is kept by where the file really lies, and of a volume by which filesystem is
// on it: whoever formats it again finds nothing.
//
// Threads: as fake_node.h and ntfs_fake.h; what happens beside the groups, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "smb/windows/global_mappings.h"
#include "support/windows/file_system_calls.h"
#include "tests/support/windows/fake_node.h"
#include "tests/unit/smb/windows/global_mappings_stand_in.h"

namespace longshore::test {

class MadeUpNode {
 public:
  MadeUpNode();

  // The layers.
  FakeNode& devices() { return devices_; }
  std::shared_ptr<smb::GlobalMappings> mappings() { return mappings_; }
  std::shared_ptr<support::FileSystemCalls> files() { return files_; }

  void reset();
  void grow_disk(uint64_t bytes);
  void lose_disk();
  bool is_mapped() const { return !mappings_->mappings.empty(); }

  struct Seen {
    bool exists = false, is_link = false, is_mount_point = false;  // no link followed at the end
    std::string link_text;
    bool is_directory = false, is_empty = false;  // all links followed
    std::string content;
    uint64_t filesystem_bytes = 0;
  };
  Seen look(const std::string& path);
  void make_directories(const std::string& path);
  void write(const std::string& path, const std::string& content);
  // False: there is nothing. Throws for what is mounted on or not empty.
  bool remove(const std::string& path);

 private:
  // Where a path leads: "C:\a", "\\?\Volume{...}\a", "\\server\share\a".
  std::string real(const std::string& path, int links = 0) const;
  // The same, but for a link at its end.
  std::string named(const std::string& path) const;
  bool is_empty(const std::string& real) const;
  bool is_served(const std::string& real) const;  // by a volume or a server that is there
  // Of the filesystem that a real path lies on: its volume, and where the content of a file is
  // kept.
  std::wstring volume_of(const std::string& real) const;
  std::string key_of(const std::string& real);

  FakeNode devices_;
  std::shared_ptr<smb::GlobalMappingsStandIn> mappings_;
  std::shared_ptr<smb::FilesStandIn> files_;
  std::map<std::string, std::string> contents_;
};

}  // namespace longshore::test
