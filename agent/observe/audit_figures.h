// What became of the lines of the audit log.
#pragma once

#include <cstdint>
#include <string>

namespace longshore::observe {

struct AuditFigures {
  bool is_on = false;
  uint64_t written = 0;
  uint64_t waiting = 0;  // until the file can be written again
  uint64_t lost = 0;
  uint64_t refused_calls = 0;  // for want of a line that the configuration requires
  std::string trouble = {};    // why the file cannot be written; empty: it can
  std::string file = {};
  bool required = false;
};

}  // namespace longshore::observe
