// One attack against an agent of its own, with a victim beside it, and what came of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/hostile_clients/attack.h"
#include "tests/hostile_clients/victim.h"

namespace longshore::hostile_clients {

struct TrialReport {
  Traffic traffic;
  size_t connections = 0;              // that were open at the end of the attack
  size_t growth_bytes = 0;             // the most, above the start
  size_t growth_of_modules_bytes = 0;  // the same of the processes of modules, together
  size_t left_bytes = 0;  // above the start, when it was back or the time for that was over
  size_t left_in_modules_bytes = 0;  // likewise of those
  double back_seconds = 0;           // from when the last client left until both were back
  double processor_seconds = 0;
  size_t log_bytes = 0;
  int exit_status = -1;
  VictimReport victim;
  std::vector<std::string> faults;
};

// What may be left above the start. Each reload makes the configuration and the modules' tables
// anew, in small blocks that then lie between those of the attack and keep their pages.
inline size_t may_be_left(const Attack& attack) { return (attack.is_reloaded ? 4u : 2u) << 20; }

// Of the table: the names of what `row_of` tells.
std::string head_of_rows();
std::string row_of(const Attack& attack, const TrialReport& report);

TrialReport try_attack(const Attack& attack);

}  // namespace longshore::hostile_clients
