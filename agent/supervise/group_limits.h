// What a module's process may use, with the programs that it starts: set by a control group or a
// job object.
#pragma once

#include <cstdint>

namespace longshore::supervise {

// 0: no limit of that kind.
struct GroupLimits {
  double processors = 0;  // 0.5: half of the time of one
  uint64_t memory = 0;    // bytes; on Linux none of them swapped out
  uint64_t processes = 0;

  bool any() const { return processors > 0 || memory > 0 || processes > 0; }
};

}  // namespace longshore::supervise
