// The code of a module, wherever it runs: what instances are made of.
//
// An Image is code in this process. Code in a child process looks just the same from here: it
// answers `create` with functions that hand everything on, so an Instance cannot tell them apart.
//
// Threads: any. Owner: shared by the module set and the instances.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "loader/description.h"
#include "longshore/abi.h"

namespace longshore::loader {

class HostBridge;

// What is known of a module's file without loading it.
struct ModuleFacts {
  std::string path;
  std::string sha256;
  std::string name;
  std::string version;
  std::string vendor;
  ModuleDescription description;
};

class ModuleCode {
 public:
  virtual ~ModuleCode();
  const ModuleFacts& facts() const { return *facts_; }

  // Makes an instance of it; see longshore_module_entry::create.
  virtual longshore_answer create(const longshore_host* host, void** self,
                                  const longshore_instance** functions) = 0;

  // Bridges of instances that have ended well, to be used again by this code's next ones: a module
  // may call a host table that it was given long ago, so they live as long as the code.
  HostBridge* take_bridge(const std::string& instance_name);
  void give_back_bridge(HostBridge* bridge);

 protected:
  explicit ModuleCode(std::shared_ptr<const ModuleFacts> facts);

 private:
  const std::shared_ptr<const ModuleFacts> facts_;
  std::mutex mutex_;
  std::vector<HostBridge*> idle_bridges_;
  std::vector<std::unique_ptr<HostBridge>> bridges_;
};

}  // namespace longshore::loader
