// What this process uses of the system, as Prometheus' clients tell it.
#pragma once

#include <cstdint>

namespace longshore::observe {

// A figure that the system does not tell is 0.
struct ProcessFigures {
  double cpu_seconds = 0;
  double start_time_seconds = 0;  // since 1970
  uint64_t resident_bytes = 0;
  uint64_t virtual_bytes = 0;
  uint64_t open_descriptors = 0;
  uint64_t max_descriptors = 0;
};

ProcessFigures process_figures();

}  // namespace longshore::observe
