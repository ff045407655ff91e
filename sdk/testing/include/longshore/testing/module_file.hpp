// A module loaded from its shared object or DLL, as the agent loads it, for the fake host.
//
// The image stays loaded for good, as in the agent: threads that a module forgot crash nothing by
// returning. So the entry outlives this object.
#pragma once

#include <string>

#include "longshore/abi.h"

namespace longshore::testing {

class ModuleFile {
 public:
  // Throws std::runtime_error when the file cannot be loaded or exports no `longshore_module`.
  explicit ModuleFile(const std::string& path);

  const longshore_module_entry& entry() const { return *entry_; }

 private:
  const longshore_module_entry* entry_ = nullptr;
};

}  // namespace longshore::testing
