// The module in its own process: what frames of the agent ask of it is done by the same Instance,
// router and pools as in the agent, and what these tell is answered in frames.
//
// Threads: `on_frame` the one that reads frames; it never blocks. Starting and ending run on a
// thread of their own, calls in the instance's pool. Owner: run_child, until the process ends.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "loader/instance.h"
#include "longshore/child/v1.pb.h"
#include "observe/log.h"
#include "router/memory_return.h"
#include "router/router.h"
#include "supervise/child/agent_target.h"
#include "supervise/child/call_from_agent.h"
#include "supervise/frame_channel.h"

namespace longshore::supervise {

class HostedModule {
 public:
  HostedModule(FrameChannel& agent, const child::v1::Hello& hello,
               std::shared_ptr<loader::ModuleCode> code);

  // False: this is no frame that the agent may send now.
  bool on_frame(const Frame& frame);

 private:
  void start(const child::v1::Start& start, std::string settings);
  void stop(std::chrono::nanoseconds timeout);
  // Ends the process.
  [[noreturn]] void end();
  bool call(uint64_t id, const child::v1::Call& head, std::string_view request);
  std::shared_ptr<CallFromAgent> find(uint64_t id) const;
  void answer(FrameType type, const Result<std::string_view>& outcome) const;
  void write_log(longshore_log_level level, uint64_t call, std::string_view text) const;

  FrameChannel& agent_;
  loader::InstanceOptions options_;
  const std::shared_ptr<loader::ModuleCode> code_;
  std::vector<std::shared_ptr<const router::Method>> methods_;
  const std::unique_ptr<observe::Log> log_;
  router::Timers timers_;
  router::Router router_;
  const size_t max_payload_bytes_;
  const std::shared_ptr<AgentTarget> agent_target_;
  router::WorkerPool control_;
  const std::shared_ptr<router::MemoryReturn> memory_return_;
  bool is_stopped_ = false;  // of the control thread
  Secret handover_;          // the reading thread's until the start, then the control thread's

  mutable std::mutex mutex_;
  std::shared_ptr<loader::Instance> instance_;  // once it is created
  std::map<uint64_t, std::shared_ptr<CallFromAgent>> calls_;
};

}  // namespace longshore::supervise
