// The module in its own process: loaded from what the agent has inspected, which is a
// sealed image, or on Windows a file that nobody can change as long as the agent has it open.
//
// Threads: as ModuleCode. Lives until the process ends.
#pragma once

#include <memory>
#include <string>

#include "loader/module_code.h"
#include "longshore/result.hpp"

namespace longshore::supervise {

class LoadedImage final : public loader::ModuleCode {
 public:
  static Result<std::shared_ptr<LoadedImage>> load(
      std::shared_ptr<const loader::ModuleFacts> facts);

  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    return entry_->create(host, self, functions);
  }

 private:
  LoadedImage(std::shared_ptr<const loader::ModuleFacts> facts, const longshore_module_entry* entry)
      : ModuleCode(std::move(facts)), entry_(entry) {}

  const longshore_module_entry* const entry_;
};

}  // namespace longshore::supervise
