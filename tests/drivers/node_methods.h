// A driver's node methods one at a time, each asked for once, as a kubelet does it: for what a
// whole life has no place for.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tests/drivers/caller.h"
#include "tests/drivers/driver.h"
#include "tests/drivers/driver_node.h"
#include "tests/drivers/sequence.h"

namespace longshore::test {

// The node's volume with the kubelet's folder to stage it at.
VolumeContext volume_of(DriverNode& node);
// Where the pod of this name finds the volume.
std::string target_of_pod(const DriverNode& node, const std::string& pod);

class NodeMethods {
 public:
  // The node's disk is blank then, and the driver has started.
  NodeMethods(const Driver& driver, DriverNode& node);

  MethodEnd stage();
  MethodEnd publish();
  MethodEnd expand(int64_t wanted_bytes);
  MethodEnd unpublish();
  MethodEnd unstage();

  const std::string& staging() const { return volume_.staging; }
  const std::string& target() const { return volume_.target; }
  int64_t filesystem_bytes() const { return volume_.files->filesystem_bytes(volume_.staging); }
  // Whether the driver has made this call so far.
  bool has_called(Method method) const;

 private:
  MethodEnd run(const Rows& rows) { return run_rows(rows, volume_, caller_, reached_); }

  const Driver& driver_;
  VolumeContext volume_;
  Caller caller_;
  std::set<const Row*> reached_;
};

}  // namespace longshore::test
