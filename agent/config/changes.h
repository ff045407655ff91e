// What differs between two configurations, as a reload sees it.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "longshore/result.hpp"

namespace longshore::config {

// A difference of two configurations.
struct Changes {
  // Keys that only a restart can change ("agent.run_dir"). If there are any, a reload changes
  // nothing and names them.
  std::vector<std::string> need_restart;
  // One sentence each, for the log and `longshorectl reload`.
  std::vector<std::string> sentences;
};

Changes changes_between(const Configuration& old_one, const Configuration& new_one);

// The sentences of a reload from one to the other, or the error that names what needs a restart.
Result<std::vector<std::string>> reload_changes(const Configuration& old_one,
                                                const Configuration& new_one);

}  // namespace longshore::config
