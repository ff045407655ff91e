#include "supervise/child/hosted_module.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

#include "router/heaps.h"

namespace longshore::supervise {

using router::Clock;

namespace {

loader::InstanceOptions options_of(const child::v1::Hello& hello) {
  loader::InstanceOptions options;
  options.name = hello.instance();
  options.max_concurrent_calls = hello.max_concurrent_calls();
  options.max_stuck_calls = hello.max_stuck_calls();
  options.max_calls_per_bulkhead = hello.max_calls_per_bulkhead();
  options.max_queued_calls_per_bulkhead = loader::most_waiting_behind_one(hello.max_queued_calls());
  // The agent counts the streams, and lets no more of other calls through than may run, or wait
  // behind others for their bulkheads; some come while one is not quite over.
  options.max_open_streams = std::numeric_limits<size_t>::max();
  options.max_queued_calls =
      hello.max_concurrent_calls() + hello.max_queued_calls() + hello.max_open_streams();
  return options;
}

router::RouterOptions router_options_of(const child::v1::Hello& hello) {
  router::RouterOptions options;
  options.max_message_bytes = hello.max_message_bytes();
  options.remembers_calls = false;
  return options;
}

// What one frame may carry besides its head; the agent ends a process that sends more.
size_t payload_limit_of(const child::v1::Hello& hello) {
  constexpr size_t kHead = 64 << 10;
  return std::max<size_t>(hello.max_frame_bytes(), kHead) - kHead;
}

std::shared_ptr<const router::Method> method_of(const child::v1::Method& described) {
  auto method = std::make_shared<router::Method>();
  method->full_name = described.name();
  method->service = described.name().substr(0, described.name().find('/'));
  method->name = described.name().substr(described.name().find('/') + 1);
  method->reads_only = described.reads_only();
  method->non_blocking = described.non_blocking();
  method->server_streaming = described.server_streaming();
  method->object_field = described.object_field();
  method->object_type = described.object_type();
  method->request_has_secrets = described.request_has_secrets();
  method->long_running = described.long_running();
  method->timeout = std::chrono::nanoseconds::max();  // the agent says what is left with each call
  return method;
}

// The lines of our own that are written here, such as those of a broken contract. The agent's log
// adds time and level.
std::unique_ptr<observe::Log> log_to(FrameChannel& agent) {
  observe::LogOptions options;
  options.level = observe::Level::kWarning;
  options.write = [&agent](observe::Level, std::string_view line) {
    constexpr size_t kTimeAndLevel = sizeof("2026-11-21T04:31:35.123Z WARN  ") - 1;
    child::v1::Log head;
    head.set_level(LONGSHORE_LOG_WARNING);
    agent.send(FrameType::kLog, 0, head, line.substr(std::min(line.size(), kTimeAndLevel)));
  };
  return observe::Log::open(options).value();  // with nothing to open
}

}  // namespace

HostedModule::HostedModule(FrameChannel& agent, const child::v1::Hello& hello,
                           std::shared_ptr<loader::ModuleCode> code)
    : agent_(agent),
      options_(options_of(hello)),
      code_(std::move(code)),
      log_(log_to(agent)),
      router_(timers_, router_options_of(hello)),
      max_payload_bytes_(payload_limit_of(hello)),
      agent_target_(std::make_shared<AgentTarget>(agent, max_payload_bytes_)),
      control_(timers_, "control", 1),
      memory_return_(std::make_shared<router::MemoryReturn>(
          timers_, [this] { control_.post(&router::give_back_heaps); })) {
  for (const child::v1::Method& method : hello.methods()) methods_.push_back(method_of(method));
  options_.write_log = [this](longshore_log_level level, uint64_t call, std::string_view text) {
    write_log(level, call, text);
  };
  options_.on_handover = [this](const Result<Secret>& handover) {
    if (!handover) return answer(FrameType::kStopped, handover.error());
    answer(FrameType::kStopped, std::string_view(handover->text()));
  };
  options_.on_waiting = [this](uint64_t call, const std::string& bulkhead) {
    agent_.send({FrameType::kWaits, call, {}, bulkhead});
  };
  options_.on_degraded = [this](const std::string& reason) {
    agent_.send({FrameType::kDegraded, 0, {}, reason});
  };
  options_.on_violation = [this](uint64_t count, const std::string& last) {
    child::v1::Violations head;
    head.set_count(static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX)));
    agent_.send(FrameType::kViolations, 0, head, last, FrameChannel::Room::kUnlessMuchWaits);
  };
  router_.set_fallback(agent_target_);
}

bool HostedModule::on_frame(const Frame& frame) {
  switch (frame.type) {
    case FrameType::kHandover:
      handover_ = Secret::copy_of(frame.payload);
      return true;
    case FrameType::kStart: {
      auto head = head_of<child::v1::Start>(frame);
      if (!head) return false;
      control_.post([this, head = std::move(*head), settings = std::string(frame.payload)] {
        start(head, settings);
      });
      return true;
    }
    case FrameType::kStop: {
      const auto head = head_of<child::v1::Stop>(frame);
      if (!head) return false;
      control_.post(
          [this, timeout = std::chrono::nanoseconds(head->timeout_ns())] { stop(timeout); });
      return true;
    }
    case FrameType::kDestroy:
      control_.post([this] { end(); });
      return true;
    case FrameType::kCall: {
      const auto head = head_of<child::v1::Call>(frame);
      return head && call(frame.id, *head, frame.payload);
    }
    case FrameType::kCancel:
      if (const auto call = find(frame.id)) call->cancel();
      return true;
    case FrameType::kGrant: {
      const auto head = head_of<child::v1::Grant>(frame);
      const auto call = find(frame.id);
      if (head && call) call->grant(head->messages());
      return head.has_value();
    }
    case FrameType::kResponseMessage:
      agent_target_->on_response(frame.id, frame.payload);
      return true;
    case FrameType::kResponseEnd: {
      const auto head = head_of<child::v1::End>(frame);
      if (!head) return false;
      agent_target_->on_response_end(frame.id, static_cast<StatusCode>(head->code()), head->text());
      return true;
    }
    default:
      return false;
  }
}

void HostedModule::start(const child::v1::Start& start, std::string settings) {
  loader::InstanceOptions options = options_;
  options.start_timeout = std::chrono::nanoseconds(start.timeout_ns());
  auto created = loader::Instance::create(code_, std::move(options), router_, *log_);
  if (!created) return answer(FrameType::kStarted, std::move(created).error());
  const std::shared_ptr<loader::Instance> instance = std::move(*created);
  {
    const std::lock_guard lock(mutex_);
    instance_ = instance;
  }
  const Result<void> started = instance->start(std::move(settings), handover_.text());
  handover_ = {};
  // The sentence as the module said it: the agent adds what it was about.
  if (started) {
    answer(FrameType::kStarted, std::string_view());
  } else {
    answer(FrameType::kStarted, Error::of_text(started.error().code(), instance->figures().reason));
  }
}

void HostedModule::stop(std::chrono::nanoseconds timeout) {
  is_stopped_ = true;
  if (instance_) static_cast<void>(instance_->stop(Clock::now() + timeout));
}

void HostedModule::end() {
  if (!is_stopped_) stop({});
  std::_Exit(0);  // whatever threads there are, and past what a module wants done at the end
}

bool HostedModule::call(uint64_t id, const child::v1::Call& head, std::string_view request) {
  std::shared_ptr<loader::Instance> instance;
  {
    const std::lock_guard lock(mutex_);
    instance = instance_;
  }
  if (!instance || head.method() >= methods_.size()) return false;
  auto caller = std::make_shared<router::Caller>();
  caller->identity = head.caller();
  caller->on_behalf_of = head.on_behalf_of();
  caller->flow = std::hash<std::string>()(caller->on_behalf_of);
  caller->has_account = true;  // the agent has let it wait
  const auto observer = std::make_shared<CallFromAgent>(agent_, id, head.credit(), [this, id] {
    memory_return_->something_left();
    const std::lock_guard lock(mutex_);
    calls_.erase(id);
  });
  {
    const std::lock_guard lock(mutex_);
    if (!calls_.emplace(id, observer).second) return false;
  }
  router::CallRequest call;
  call.request = router::request_copy(request);
  call.caller = std::move(caller);
  call.timeout = std::chrono::nanoseconds(head.remaining_ns());
  call.request_id = head.request_id();
  call.observer = observer;
  call.origin = id;
  observer->set_call(router_.call_directly(instance, methods_[head.method()], std::move(call)));
  return true;
}

std::shared_ptr<CallFromAgent> HostedModule::find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second;
}

void HostedModule::answer(FrameType type, const Result<std::string_view>& outcome) const {
  if (outcome && outcome->size() > max_payload_bytes_) {
    return answer(
        type, Error(StatusCode::kResourceExhausted, "hand over")
                  .because(std::to_string(outcome->size()) + " bytes are more than the limit of " +
                           std::to_string(max_payload_bytes_)));
  }
  child::v1::End end;
  if (!outcome) {
    end.set_code(static_cast<int32_t>(outcome.error().code()));
    end.set_text(outcome.error().message());
  }
  const std::string head = end.SerializeAsString();
  agent_.send({type, 0, head, outcome ? *outcome : std::string_view(),
               type == FrameType::kStopped});  // a handover may be a secret
}

void HostedModule::write_log(longshore_log_level level, uint64_t call,
                             std::string_view text) const {
  child::v1::Log head;
  head.set_level(level);
  head.set_call(call);
  agent_.send(FrameType::kLog, 0, head, text, FrameChannel::Room::kUnlessMuchWaits);
}

}  // namespace longshore::supervise
