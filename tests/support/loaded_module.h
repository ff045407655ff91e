// A module loaded from its file, as the agent loads it, behind the smallest host that can call it.
//
// For tests of a module's own code up to its ABI: entry, description, settings, handlers. Handlers
// must answer before they return. The host offers no calls to other modules.
//
// Threads: calls may come from several at once.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "longshore/abi.h"
#include "longshore/module/v1.pb.h"
#include "longshore/result.hpp"

namespace longshore::test {

class LoadedModule {
 public:
  // Loads the file and creates an instance; throws if either fails.
  explicit LoadedModule(const std::string& file);
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule();

  const longshore_module_entry& entry() const { return *entry_; }
  const module::v1::Description& description() const { return description_; }

  // The defaults of the description's options, as an empty configuration file gives them.
  module::v1::Settings default_settings() const;

  Result<void> start(const module::v1::Settings& settings);
  Result<void> stop();

  // The bytes of the answer.
  Result<std::string> call(const std::string& method, const std::string& request,
                           std::optional<std::chrono::nanoseconds> timeout = {});

 private:
  struct Call {
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::string message;
    std::optional<longshore_status_code> code;
    std::string text;
  };
  struct Host;  // the C functions

  template <typename Function>
  Result<std::string> run(std::optional<std::chrono::nanoseconds> timeout, Function function);

  const longshore_module_entry* entry_ = nullptr;
  module::v1::Description description_;
  longshore_host host_{};
  const longshore_instance* functions_ = nullptr;
  void* instance_ = nullptr;
  std::mutex mutex_;
  std::map<longshore_call, Call> calls_;
  longshore_call last_call_ = 0;
};

}  // namespace longshore::test
