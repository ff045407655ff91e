// What tests ask an agent in a directory of theirs.
#pragma once

#include <string>

#include "tests/support/agent_process.h"
#include "tests/support/control_calls.h"

namespace longshore::test {

inline Upgraded upgrade(const AgentDirectory& directory, const std::string& module,
                        const std::string& file) {
  return upgrade_at(directory.control_socket(), module, file);
}

inline admin::v1::Module module_of(const AgentDirectory& directory, const std::string& name) {
  return module_at(directory.control_socket(), name);
}

}  // namespace longshore::test
