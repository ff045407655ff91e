// Who has something of a filesystem open, as /proc shows: files, the working directory, the root,
// the program, what is mapped into memory.
//
// No server and no disk is asked, so that one that does not answer keeps nobody waiting. To look
// into processes of others, or with more capabilities than this one has, asks for CAP_SYS_PTRACE.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "support/linux/process_walk.h"

namespace longshore::support {

struct UsedFile {
  dev_t device = 0;       // of the filesystem, as its files tell it: btrfs has one a subvolume
  dev_t node_of = 0;      // the block device that it is the node of
  uint64_t mount_id = 0;  // 0: of what is mapped, of which it cannot be told
  std::string path = {};  // of what is mapped; of that, btrfs tells the device that mounts have
};

struct FileUser {
  std::string process;  // "process 812 (postgres)"
  std::string use;      // "has files open in it"
};

struct FileUserSearch {
  std::optional<FileUser> found;
  bool saw_all = true;  // else there may be one, that could not be looked into

  // The user and what he does; or what is known if there is none: `nobody`, and why he may not be
  // seen.
  std::string text(const std::string& nobody) const;
};

// The first for which `is_it` holds. What is mapped is looked at last, as it is the most.
FileUserSearch find_file_user(const std::function<bool(const UsedFile&)>& is_it,
                              const ProcessWalk::Options& options = {});

}  // namespace longshore::support
