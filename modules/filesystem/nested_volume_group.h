// The volume group of the same agent, asked in the course of a call: v1.Volume, by nested calls.
//
// They have the call's deadline and request id, and go where the module's `may_call` allows.
#pragma once

#include <string>

#include "filesystem/volume_group.h"
#include "longshore/context.hpp"

namespace longshore::filesystem {

// Threads: that of the call, which waits.
class NestedVolumeGroup final : public VolumeGroup {
 public:
  explicit NestedVolumeGroup(const Context& call) : call_(call) {}

  Result<std::string> id_of_mount_point(const support::Path& path) override;
  Result<void> unmount(const std::string& id, const support::Path& path) override;

 private:
  const Context call_;
};

}  // namespace longshore::filesystem
