#include "loader/module_code.h"

#include <utility>

#include "loader/host_table.h"

namespace longshore::loader {

ModuleCode::ModuleCode(std::shared_ptr<const ModuleFacts> facts) : facts_(std::move(facts)) {}

ModuleCode::~ModuleCode() = default;

HostTable* ModuleCode::take_bridge(const std::string& instance_name) {
  const std::lock_guard lock(mutex_);
  for (auto bridge = idle_bridges_.begin(); bridge != idle_bridges_.end(); ++bridge) {
    // Only under the same name: what an old instance does late is logged as this one's.
    if ((*bridge)->instance_name() != instance_name) continue;
    HostTable* found = *bridge;
    idle_bridges_.erase(bridge);
    return found;
  }
  bridges_.push_back(std::make_unique<HostTable>(instance_name));
  return bridges_.back().get();
}

void ModuleCode::give_back_bridge(HostTable* bridge) {
  const std::lock_guard lock(mutex_);
  idle_bridges_.push_back(bridge);
}

}  // namespace longshore::loader
