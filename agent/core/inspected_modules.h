// The loader's view of modules for the configuration: descriptions read from files, no code run.
//
// Threads: the one that loads a configuration and applies it. Owner: the agent.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/module_catalog.h"
#include "config/user_id.h"
#include "loader/image.h"
#include "services/host_services.h"

namespace longshore::core {

class InspectedModules final : public config::ModuleCatalog {
 public:
  // `extra_folders` are searched before agent.module_dirs: for running from a build tree.
  // `services`: which configurations may name.
  explicit InspectedModules(
      std::vector<std::string> extra_folders,
      std::shared_ptr<services::HostServices> services = std::make_shared<services::HostServices>())
      : extra_folders_(std::move(extra_folders)), services_(std::move(services)) {}

  services::HostServices& services() { return *services_; }
  config::HostServiceNames host_services() const override { return services_->names(); }

  // Reads their files, several at a time.
  void expect(const std::vector<config::ModuleSettings>& modules,
              const config::AgentSettings& agent) override;
  Result<config::ModuleSchema> describe(const config::ModuleSettings& module,
                                        const config::AgentSettings& agent) override;

  // The file that the last `describe` for this module has read, to be loaded: what was checked is
  // what runs, and what could not be read then is not read now. Read now if it was not described.
  Result<loader::Inspection> take(const config::ModuleSettings& module,
                                  const config::AgentSettings& agent);
  // The files that decide whether the module can be loaded: where it is looked up, and signatures.
  std::vector<std::string> files_of(const config::ModuleSettings& module,
                                    const config::AgentSettings& agent) const;
  // Until `forget`: the file, an absolute path, that is the module's instead of the configured one.
  void use_file(const std::string& module, const std::string& file) { files_[module] = file; }
  // Lets go of the files that nobody took.
  void forget() {
    expected_.clear();
    described_.clear();
    files_.clear();
  }

  // While a configuration is read and applied; what it has read is let go of at its end, however it
  // ends.
  class Scope {
   public:
    explicit Scope(InspectedModules& modules) : modules_(modules) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { modules_.forget(); }

   private:
    InspectedModules& modules_;
  };

 private:
  std::vector<std::string> folders_of(const config::AgentSettings& agent) const;
  Result<loader::Inspection> inspect(const config::ModuleSettings& module,
                                     const config::AgentSettings& agent) const;
  // `owners`: see loader::InspectionOptions. [any thread]
  Result<loader::Inspection> inspect(const config::ModuleSettings& module,
                                     const config::AgentSettings& agent,
                                     const std::vector<config::UserId>& owners) const;

  const std::vector<std::string> extra_folders_;
  const std::shared_ptr<services::HostServices> services_;
  // By the module's name, as the other two.
  std::map<std::string, Result<loader::Inspection>> expected_;
  std::map<std::string, Result<loader::Inspection>> described_;
  std::map<std::string, std::string> files_;
};

}  // namespace longshore::core
