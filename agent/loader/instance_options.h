// What an instance may do and how long it gets, as the configuration has it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
  // Those that wait for their turn. The memory of the clients bounds them before: all endpoints and
  // the control socket together hold less than 60 MiB for them, and a call takes 4 KiB.
  size_t max_queued_calls = 16384;
  // Of those whose callers have no account for what they hold (modules, embedders): the bytes. One
  // peer of an endpoint may have as many.
  size_t max_queued_bytes = 16u << 20;
  // Of long_running methods: those that run, wait, or hold no thread any more.
  size_t max_open_streams = 1024;
  // Of one bulkhead: what calls would hang on. More wait behind those. 0: half of all.
  size_t max_calls_per_bulkhead = 0;
  // Of those that wait for their turn, the ones behind one bulkhead. None: see
  // most_waiting_behind_one.
  std::optional<size_t> max_queued_calls_per_bulkhead = std::nullopt;
  // How many calls of one bulkhead may be stuck before others for it fail. Each gives its place to
  // another call, up to a multiple of this number for all bulkheads together.
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
  // Told of a call, by its origin, that waits again behind others for `bulkhead`; then, with an
  // empty one, when it runs. [any thread]
  std::function<void(uint64_t origin, const std::string& bulkhead)> on_waiting = nullptr;
  // Told what the module says of how it serves; empty: well. [any thread]
  std::function<void(const std::string& reason)> on_degraded = nullptr;
  // Told of each violation of the contract, with their number so far. [any thread]
  std::function<void(uint64_t count, const std::string& last)> on_violation = nullptr;
};

}  // namespace longshore::loader
