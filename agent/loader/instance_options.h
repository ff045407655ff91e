// What an instance may do and how long it gets, as the configuration has it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "loader/lifecycle.h"
#include "longshore/abi.h"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"

namespace longshore::loader {

struct InstanceOptions {
  std::string name;  // "disk", as the configuration has it
  size_t max_concurrent_calls = 16;
  size_t max_queued_calls = 256;
  // Of long_running methods: those that run, wait, or hold no thread any more.
  size_t max_open_streams = 1024;
  // How many stuck calls are replaced by threads of their own before calls for what they hang on
  // fail.
  size_t max_stuck_calls = 4;
  std::shared_ptr<const std::set<std::string, std::less<>>> may_call;
  // Of `create`, of `start` and of the first Health/Check, each.
  std::chrono::nanoseconds start_timeout = std::chrono::seconds(30);
  // What has been recorded so far; null begins a new one.
  std::shared_ptr<Lifecycle> lifecycle = nullptr;

  // For a child process. Takes the module's log lines in place of the log, with the origin of their
  // call or 0; the calls themselves are then not logged, since the agent does.
  std::function<void(longshore_log_level level, uint64_t origin, std::string_view text)> write_log =
      nullptr;
  // Told in `stop` as soon as the module's own stop is over, while its calls may still run.
  std::function<void(const Result<Secret>& handover)> on_handover = nullptr;
  // Told what the module says of how it serves; empty: well. [any thread]
  std::function<void(const std::string& reason)> on_degraded = nullptr;
  // Told of each violation of the contract, with their number so far. [any thread]
  std::function<void(uint64_t count, const std::string& last)> on_violation = nullptr;
};

}  // namespace longshore::loader
