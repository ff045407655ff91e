// The code of a module, wherever it runs: what instances are made of.
//
// An Image is code in this process. Code in a child process looks just the same from here: it
// answers `create` with functions that hand everything on, so an Instance cannot tell them apart.
//
// Threads: any. Owner: shared by the module set and the instances.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "loader/description.h"
#include "longshore/abi.h"

namespace longshore::loader {

class HostTable;

// What is known of a module's file without loading it.
struct ModuleFacts {
  std::string path;
  std::string sha256;
  std::string name;
  std::string version;
  std::string vendor;
  ModuleDescription description;
  std::string signed_by = {};  // the name of the key; empty: nobody's signature was checked
};

// A process in which a module runs, for people.
struct ModuleProcess {
  enum class State { kStarting, kServing, kRestarting, kQuarantined, kEnded };
  State state = State::kStarting;
  int id = 0;  // 0: there is none at the moment
  uint64_t restarts = 0;
  std::string last_end;  // "was killed by SIGSEGV"; empty: none has ended
  // Of the contract, found there; see Instance::Figures.
  uint64_t violations = 0;
  std::string last_violation;
  std::string limits;  // "memory_max=cgroup system_call_filter=seccomp"; empty: it has none
};

class ModuleCode {
 public:
  virtual ~ModuleCode();
  const ModuleFacts& facts() const { return *facts_; }

  // Makes an instance of it; see longshore_module_entry::create.
  virtual longshore_result create(const longshore_host* host, void** self,
                                  const longshore_instance** functions) = 0;

  // Whether its functions return at once, so that no call needs a thread of a pool.
  virtual bool never_blocks() const { return false; }

  // The process of its own that it runs in, if there is one.
  virtual std::optional<ModuleProcess> process() const { return std::nullopt; }

  // Ends at once the instance that `create` made for this host, if that is possible without ending
  // this process. `end`: "was killed because ...". [any thread]
  virtual bool kill(const longshore_host* host, const std::string& end) {
    static_cast<void>(host);
    static_cast<void>(end);
    return false;
  }

  // Tables of instances that have ended well, to be used again by this code's next ones: a module
  // may call a host table that it was given long ago, so they live as long as the code.
  HostTable* take_host_table(const std::string& instance_name);
  void give_back_host_table(HostTable* table);

 protected:
  explicit ModuleCode(std::shared_ptr<const ModuleFacts> facts);

 private:
  const std::shared_ptr<const ModuleFacts> facts_;
  std::mutex mutex_;
  std::vector<HostTable*> idle_host_tables_;
  std::vector<std::unique_ptr<HostTable>> host_tables_;
};

}  // namespace longshore::loader
