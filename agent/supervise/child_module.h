// The code of a module that runs in a process of its own; see ChildInstance.
//
// Threads: as ModuleCode. Owner: shared by the module set and the instance.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "loader/image.h"
#include "loader/module_code.h"
#include "observe/log.h"
#include "supervise/child_instance.h"
#include "supervise/child_options.h"

namespace longshore::supervise {

class ChildModule final : public loader::ModuleCode {
 public:
  // `log` outlives it.
  ChildModule(loader::Inspection inspection, ChildOptions options, observe::Log& log);
  ~ChildModule() override;

  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override;
  bool never_blocks() const override { return true; }
  // Of the instance that was created last.
  std::optional<loader::ModuleProcess> process() const override;
  bool kill(const longshore_host* host, const std::string& end) override;

 private:
  struct Functions;  // the table of longshore_instance

  const loader::ModuleFile file_;
  const ChildOptions options_;
  observe::Log& log_;
  mutable std::mutex mutex_;
  std::shared_ptr<ChildInstance> instance_;
  std::map<const longshore_host*, std::weak_ptr<ChildInstance>> by_host_;
};

}  // namespace longshore::supervise
