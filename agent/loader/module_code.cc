#include "loader/module_code.h"

#include <utility>

#include "loader/host_table.h"

namespace longshore::loader {

ModuleCode::ModuleCode(std::shared_ptr<const ModuleFacts> facts) : facts_(std::move(facts)) {}

ModuleCode::~ModuleCode() = default;

HostTable* ModuleCode::take_host_table(const std::string& instance_name) {
  const std::lock_guard lock(mutex_);
  for (auto table = idle_host_tables_.begin(); table != idle_host_tables_.end(); ++table) {
    // Only under the same name: what an old instance does late is logged as this one's.
    if ((*table)->instance_name() != instance_name) continue;
    HostTable* found = *table;
    idle_host_tables_.erase(table);
    return found;
  }
  host_tables_.push_back(std::make_unique<HostTable>(instance_name));
  return host_tables_.back().get();
}

void ModuleCode::give_back_host_table(HostTable* table) {
  const std::lock_guard lock(mutex_);
  idle_host_tables_.push_back(table);
}

}  // namespace longshore::loader
