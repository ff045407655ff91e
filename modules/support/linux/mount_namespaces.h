// What is mounted in the mount namespaces of other processes, where this one does not see it.
//
// Threads: any.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "support/linux/mount_table.h"
#include "support/linux/process_walk.h"

namespace longshore::support {

struct MountElsewhere {
  std::string process;  // one in that namespace: "process 812 (postgres)"
  Mount mount;          // its point is as that process sees it

  // `the mount "/data" of process 812 (postgres), in another mount namespace`
  std::string text() const;
};

// The first such mount for which `is_it` holds. Asks for no privilege; of a namespace that no
// process lives in nobody can tell. Source, point and root of a mount may be any text: whoever has
// a user namespace of his own mounts in it. Its device and type are the kernel's.
std::optional<MountElsewhere> find_mount_elsewhere(const std::function<bool(const Mount&)>& is_it,
                                                   const ProcessWalk::Options& options = {});

}  // namespace longshore::support
