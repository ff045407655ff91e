// The loader's view of modules for the configuration: descriptions read from files, no code run.
#pragma once

#include "config/module_catalog.h"
#include "loader/image.h"

namespace longshore {

class InspectedModules final : public config::ModuleCatalog {
 public:
  // `extra_folders` are searched before agent.module_dirs: for running from a build tree.
  explicit InspectedModules(std::vector<std::string> extra_folders)
      : extra_folders_(std::move(extra_folders)) {}

  Result<config::ModuleSchema> describe(const config::ModuleSettings& module,
                                        const config::AgentSettings& agent) override;

  // Where the file of a module is, and how it is to be checked.
  Result<std::string> find(const config::ModuleSettings& module,
                           const config::AgentSettings& agent) const;
  Result<loader::InspectionOptions> checks_for(const config::ModuleSettings& module,
                                               const config::AgentSettings& agent) const;

 private:
  const std::vector<std::string> extra_folders_;
};

// What a description says, in the configuration's terms.
config::ModuleSchema schema_of(const loader::ModuleDescription& description);

}  // namespace longshore
