#include "main/diagnostics.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "longshore/admin/v1.pb.h"
#include "main/unix_time.h"
#include "observe/log_line.h"
#include "text/escape.h"

namespace longshore {

namespace messages = longshore::admin::v1;

namespace {

using router::Clock;

constexpr int kDefaultCalls = 20;

std::optional<observe::Level> level_named(const std::string& name) {
  for (const auto level : {observe::Level::kDebug, observe::Level::kInfo, observe::Level::kWarning,
                           observe::Level::kError}) {
    if (name == observe::name_of(level)) return level;
  }
  return std::nullopt;
}

template <typename Duration>
int64_t microseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

void describe(const router::Method& method, messages::Call& call) {
  call.set_module(method.module);
  call.set_method(text::escaped(method.full_name));
}

void describe_outcome(StatusCode code, std::string_view text, messages::Call& call) {
  call.set_status(status_code_name(code));
  if (code != StatusCode::kOk) call.set_error(text::escaped(text));
}

messages::Call message_of(const router::RecentCalls::Entry& entry) {
  messages::Call call;
  call.set_request_id(entry.request_id);
  describe(*entry.method, call);
  call.set_caller(entry.caller);
  call.set_on_behalf_of(entry.on_behalf_of);
  call.set_object(text::escaped(entry.object));
  call.set_started_unix_ms(unix_ms(entry.started));
  call.set_took_us(microseconds(entry.took));
  call.set_state("finished");
  describe_outcome(entry.code, entry.text, call);
  return call;
}

messages::Call message_of(const router::Call& running) {
  messages::Call call;
  call.set_request_id(running.request_id());
  describe(running.method(), call);
  call.set_caller(running.caller().identity);
  call.set_on_behalf_of(running.caller().on_behalf_of);
  call.set_object(text::escaped(running.object().substr(0, router::RecentCalls::kMaxObjectBytes)));
  call.set_started_unix_ms(unix_ms(running.started()));
  call.set_took_us(microseconds(Clock::now() - running.started()));
  call.set_state(running.has_begun() ? "running" : "waiting");
  if (running.state() == LONGSHORE_CANCELLED) {
    call.set_state("overdue");
    describe_outcome(running.outcome(), running.outcome_text(), call);
  }
  return call;
}

messages::LogLine message_of(const observe::RecentLine& line) {
  messages::LogLine message;
  message.set_time_unix_ms(unix_ms(line.time));
  message.set_level(std::string(observe::name_of(line.level)));
  message.set_text(text::escaped(line.text));
  for (const observe::Field& field : line.fields) {
    auto* each = message.add_fields();
    each->set_name(std::string(field.key));
    each->set_value(text::escaped(field.value));
  }
  return message;
}

// What is known of calls: those that run, and those that are remembered.
struct KnownCalls {
  std::vector<std::shared_ptr<router::Call>> running;
  std::vector<router::RecentCalls::Entry> remembered;  // the oldest answer first

  explicit KnownCalls(router::Router& router)
      : running(router.calls().all()), remembered(router.recent_calls().all()) {
    // The agent's own are of no interest to who asks by them.
    std::erase_if(running, [](const auto& call) { return call->method().module.empty(); });
    std::set<uint64_t> handles;
    for (const auto& call : running) handles.insert(call->handle());
    // One that is answered and still runs is told by the call itself.
    std::erase_if(remembered, [&](const auto& entry) {
      return entry.handle != 0 && handles.contains(entry.handle);
    });
  }

  messages::CallMemory memory() const {
    messages::CallMemory memory;
    memory.set_calls(static_cast<int64_t>(remembered.size()));
    memory.set_capacity(router::RecentCalls::kCapacity);
    if (!remembered.empty()) memory.set_oldest_unix_ms(unix_ms(remembered.front().started));
    return memory;
  }

  std::string memory_in_words() const {
    std::string words = "up to the last " + std::to_string(router::RecentCalls::kCapacity) +
                        " finished calls are remembered";
    if (remembered.empty()) return words + "; there are none yet";
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - remembered.front().started);
    return words + "; the oldest of the " + std::to_string(remembered.size()) + " began " +
           std::to_string(seconds.count()) + " s ago";
  }
};

// In the order in which the calls began.
template <typename Calls>
void sort_by_start(Calls& calls) {
  std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) {
    return a.started_unix_ms() < b.started_unix_ms();
  });
}

class Diagnostics {
 public:
  explicit Diagnostics(DiagnosticsParts parts)
      : core_(parts.core), log_(parts.log), configured_level_(std::move(parts.configured_level)) {}

  Result<messages::LogLevel> log_level(const messages::GetLogLevelRequest&) const {
    return present_level();
  }

  Result<messages::LogLevel> set_log_level(const messages::SetLogLevelRequest& request) const {
    const auto level = level_named(request.level());
    if (!level) {
      return Error(StatusCode::kInvalidArgument, "set the log level to", request.level())
          .because("the levels are debug, info, warning and error");
    }
    // At whichever of the two levels lets the line through.
    const observe::Level before = log_.level();
    const auto say = [&] { log_.info("the log level is set", {{"level", request.level()}}); };
    if (*level > before) say();
    log_.set_level(*level);
    if (*level < before) say();
    return present_level();
  }

  Result<messages::TraceRequestResponse> trace(const messages::TraceRequestRequest& request) const {
    const std::string& id = request.request_id();
    if (!router::is_request_id(id)) {
      return Error(StatusCode::kInvalidArgument, "trace the request", text::escaped(id))
          .because("request ids are up to 64 letters, digits, '-', '_' and '.'");
    }
    messages::TraceRequestResponse response;
    const KnownCalls known(core_.router);
    for (const auto& entry : known.remembered) {
      if (entry.request_id == id) *response.add_calls() = message_of(entry);
    }
    for (const auto& call : known.running) {
      if (call->request_id() == id) *response.add_calls() = message_of(*call);
    }
    for (const observe::RecentLine& line : log_.of_requests().all()) {
      if (line.field("request") == id) *response.add_log_lines() = message_of(line);
    }
    if (response.calls().empty() && response.log_lines().empty()) {
      return Error(StatusCode::kNotFound, "find the request", id)
          .because("no running call has this id, and " + known.memory_in_words());
    }
    sort_by_start(*response.mutable_calls());
    *response.mutable_memory() = known.memory();
    return response;
  }

  Result<messages::ListCallsResponse> calls(const messages::ListCallsRequest& request) const {
    if (request.limit() < 0) {
      return Error::of_text(StatusCode::kInvalidArgument, "the limit of calls is negative");
    }
    const auto limit = static_cast<size_t>(request.limit() == 0 ? kDefaultCalls : request.limit());
    const KnownCalls known(core_.router);
    std::vector<messages::Call> calls;
    for (const auto& call : known.running) calls.push_back(message_of(*call));
    std::erase_if(calls, [&](const messages::Call& call) {
      return request.only_failed() && call.status().empty();
    });
    for (auto entry = known.remembered.rbegin();
         entry != known.remembered.rend() && calls.size() < limit; ++entry) {
      if (request.only_failed() && entry->code == StatusCode::kOk) continue;
      calls.push_back(message_of(*entry));
    }
    sort_by_start(calls);
    if (calls.size() > limit) calls.erase(calls.begin(), calls.end() - static_cast<long>(limit));
    messages::ListCallsResponse response;
    for (auto& call : calls) *response.add_calls() = std::move(call);
    *response.mutable_memory() = known.memory();
    return response;
  }

  Result<messages::GetCallFiguresResponse> figures(
      const messages::GetCallFiguresRequest& request) const {
    messages::GetCallFiguresResponse response;
    response.set_uptime_us(microseconds(Clock::now() - started_at_));
    const auto routes = core_.router.routes();
    for (const auto& entry : core_.modules.list()) {
      messages::CallFigures whole;
      whole.set_module(entry.settings.name);
      whole.set_state(loader::name_of(entry.lifecycle->state()));
      if (entry.instance) describe(entry.instance->figures(), whole);
      std::vector<messages::CallFigures> methods;
      for (const auto& method : entry.facts->description.methods) {
        const auto route = routes->by_method.find(method.full_name);
        if (route == routes->by_method.end() || !route->second.method->metrics) continue;
        methods.push_back(figures_of(*route->second.method, whole));
        whole.set_timed(whole.timed() + methods.back().timed());
        whole.set_timed_us(whole.timed_us() + methods.back().timed_us());
      }
      if (!request.by_method()) methods = {whole};
      for (auto& each : methods) *response.add_figures() = std::move(each);
    }
    return response;
  }

 private:
  messages::LogLevel present_level() const {
    messages::LogLevel level;
    level.set_level(std::string(observe::name_of(log_.level())));
    level.set_configured(configured_level_());
    return level;
  }

  static void describe(const loader::Instance::Figures& figures, messages::CallFigures& whole) {
    whole.set_state(loader::name_of(figures.state));
    whole.set_running(static_cast<int64_t>(figures.running));
    whole.set_waiting(static_cast<int64_t>(figures.waiting));
    whole.set_stuck(static_cast<int64_t>(figures.stuck));
    whole.set_total(static_cast<int64_t>(figures.total));
    whole.set_failed(static_cast<int64_t>(figures.failed));
  }

  static messages::CallFigures figures_of(const router::Method& method,
                                          const messages::CallFigures& whole) {
    const auto counted = method.metrics->figures();
    messages::CallFigures figures;
    figures.set_module(whole.module());
    figures.set_method(method.full_name);
    figures.set_state(whole.state());
    figures.set_running(static_cast<int64_t>(counted.started - counted.handled));
    figures.set_total(static_cast<int64_t>(counted.started));
    figures.set_failed(static_cast<int64_t>(counted.failed));
    figures.set_timed(static_cast<int64_t>(counted.handled));
    figures.set_timed_us(static_cast<int64_t>(counted.seconds * 1e6));
    return figures;
  }

  core::Core& core_;
  observe::Log& log_;
  const std::function<std::string()> configured_level_;
  const Clock::time_point started_at_ = Clock::now();
};

}  // namespace

std::map<std::string, AdminTarget::Handler> diagnostics_handlers(DiagnosticsParts parts) {
  const auto service = std::make_shared<Diagnostics>(std::move(parts));
  const auto handler = [&](auto method) { return typed_handler_of(service, method); };
  return {{"GetLogLevel", handler(&Diagnostics::log_level)},
          {"SetLogLevel", handler(&Diagnostics::set_log_level)},
          {"TraceRequest", handler(&Diagnostics::trace)},
          {"ListCalls", handler(&Diagnostics::calls)},
          {"GetCallFigures", handler(&Diagnostics::figures)}};
}

}  // namespace longshore
