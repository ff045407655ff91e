// Runs a row after another of a driver's table against an agent.
//
// Threads: one.
#pragma once

#include <set>
#include <string>

#include "tests/drivers/caller.h"
#include "tests/drivers/driver.h"

namespace longshore::test {

// What came of a node method: as the kubelet sees it.
struct MethodEnd {
  bool is_success = false;
  // Why not: "PartitionDisk: rpc error: ...".
  std::string failure = {};

  bool says_unavailable() const { return failure.find("code = UNAVAILABLE") != failure.npos; }
};

// `reached`: the rows that it came to are put in. Throws DriverRestart, also where a lost answer
// makes the driver's process end; std::runtime_error where another answer does.
MethodEnd run_rows(const Rows& rows, const VolumeContext& volume, Caller& caller,
                   std::set<const Row*>& reached);

}  // namespace longshore::test
