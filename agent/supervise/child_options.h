// What is fixed of a module's process when the configuration is applied.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "longshore/child/v1.pb.h"
#include "supervise/frame_channel.h"
#include "supervise/group_limits.h"

namespace longshore::supervise {

class Cgroups;

struct ChildOptions {
  std::string name;       // of the instance
  std::string state_dir;  // of the agent, for records of crashes
  std::string program;    // the absolute path of longshore-modulehost
  child::v1::Restrictions restrictions;
  GroupLimits limits;               // those that the process does not set itself
  std::string limits_in_words;      // which there are, and by what; see LimitReport
  std::shared_ptr<Cgroups> groups;  // of Linux; a job object sets limits alone
  size_t max_concurrent_calls = 16;
  size_t max_open_streams = 1024;
  size_t max_calls_per_bulkhead = 0;  // 0: half of max_concurrent_calls
  size_t max_queued_calls = 16384;
  size_t max_stuck_calls = 4;
  size_t max_message_bytes = 0;
  FrameChannel::Limits frames;
  std::chrono::nanoseconds start_timeout = std::chrono::seconds(30);
  // Ends within a minute; over it the module is quarantined.
  size_t restart_max = 10;
  std::chrono::nanoseconds restart_delay_max = std::chrono::seconds(10);
  // After it a quarantined module is tried once more; nothing: a reload or an upgrade is waited
  // for.
  std::optional<std::chrono::nanoseconds> quarantine_time;
  bool retry_idempotent = false;
};

}  // namespace longshore::supervise
