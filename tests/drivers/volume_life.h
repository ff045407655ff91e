// The whole life of a volume at a node, as a kubelet asks a driver for it: each node method, also
// once more when it has succeeded, and again and again when it fails; two pods at once, and a third
// after the volume was unstaged. What the first pod has written must be there until the end.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <set>

#include "tests/drivers/caller.h"
#include "tests/drivers/driver.h"
#include "tests/drivers/driver_node.h"

namespace longshore::test {

struct LifeReport {
  CallTimes times;
  // Of those calls the ones of NodeExpandVolume, from the first to before the end.
  size_t first_of_expansion = 0, end_of_expansion = 0;
  bool was_interrupted = false;
  size_t kills = 0;
  size_t cut_calls = 0;         // kills that came before the call was answered
  size_t restarts = 0;          // of the driver's process
  size_t dead_ends = 0;         // reached, and left by hand
  size_t interrupted_rows = 0;  // by what happens at each
  std::set<const Row*> reached;
};

// Throws std::runtime_error when a method does not succeed, or what must be there is not. `times`:
// what the calls took in a life without an interruption.
LifeReport live(const Driver& driver, DriverNode& node, const Interruption& interruption,
                CallTimes times = {});

}  // namespace longshore::test
