// What became of the lines of the audit log.
#pragma once

#include <cstdint>

namespace longshore::observe {

struct AuditFigures {
  bool is_on = false;
  uint64_t written = 0;
  uint64_t waiting = 0;  // until the file can be written again
  uint64_t lost = 0;
};

}  // namespace longshore::observe
