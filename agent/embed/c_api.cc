// liblongshore's functions: nothing but the border between C and the agent. See longshore/agent.h.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "core/version.h"
#include "embed/embedded_agent.h"
#include "embed/started_call.h"
#include "longshore/agent.h"
#include "router/router.h"

using longshore::Error;
using longshore::Result;
using longshore::StatusCode;
using longshore::embed::CallOptions;
using longshore::embed::EmbeddedAgent;
using longshore::embed::new_reply;
using longshore::embed::Outcome;
using longshore::embed::StartedCall;

struct longshore_agent {
  std::unique_ptr<EmbeddedAgent> agent;
};

namespace {

Outcome outcome_of(const Error& error) { return {error.code(), error.message(), {}}; }

Outcome invalid(std::string text) { return {StatusCode::kInvalidArgument, std::move(text), {}}; }

// Tells the outcome both ways.
int32_t give(Outcome outcome, longshore_reply** reply) {
  const auto code = static_cast<int32_t>(outcome.code);
  if (reply) *reply = new_reply(std::move(outcome));
  return code;
}

// Runs `function`, which answers an Outcome, and lets no exception out.
template <typename Function>
int32_t guarded(longshore_reply** reply, const Function& function) noexcept {
  if (reply) *reply = nullptr;
  try {
    return give(function(), reply);
  } catch (const std::bad_alloc&) {
    return static_cast<int32_t>(StatusCode::kResourceExhausted);
  } catch (...) {
    return static_cast<int32_t>(StatusCode::kInternal);
  }
}

// A caller's struct may be shorter than ours, or longer: what we do not know of is not copied. One
// without a single field was not meant: its size was forgotten.
template <typename Struct>
Result<Struct> copy_of(const Struct* given, const char* name) {
  Struct copy{};
  if (!given) return copy;
  if (given->struct_size < 2 * sizeof(given->struct_size)) {
    return Error(StatusCode::kInvalidArgument, "use", name)
        .because("its struct_size is not set")
        .advise("set it to sizeof of the struct, and all that is not used to zero");
  }
  std::memcpy(&copy, given, std::min<size_t>(given->struct_size, sizeof(copy)));
  return copy;
}

// What waits for a call or for the agent's end would wait for ever in an event: it is one of the
// agent's own threads that brings it.
Outcome refused_in_event(const char* what) {
  return {StatusCode::kFailedPrecondition,
          std::string(what) +
              " waits, and events of calls must not; start a call instead, or do "
              "it on another thread",
          {}};
}

Result<CallOptions> call_options(const longshore_call_options* given) {
  CallOptions options;
  const Result<longshore_call_options> copied = copy_of(given, "longshore_call_options");
  if (!copied) return copied.error();
  const longshore_call_options& copy = *copied;
  const auto invalid_option = [](const char* name, const char* why) {
    return Error(StatusCode::kInvalidArgument, "use the call's option", name).because(why);
  };
  if (copy.timeout_ns < 0) return invalid_option("timeout_ns", "it is negative");
  if (copy.timeout_ns > 0) options.timeout = std::chrono::nanoseconds(copy.timeout_ns);
  if (copy.request_id) options.request_id = copy.request_id;
  if (!options.request_id.empty() && !longshore::router::is_request_id(options.request_id)) {
    return invalid_option("request_id",
                          "only up to 64 letters, digits, '-', '_' and '.' are fit for logs");
  }
  return options;
}

// What a call with these ends with before it begins; OK when it can be made.
Outcome objection_to(const longshore_agent* agent, const char* method, const void* request,
                     size_t size) {
  if (!agent) return invalid("the agent is null");
  if (!method) return invalid("the method is null");
  if (!request && size > 0) return invalid("the request is null and its size is not 0");
  const size_t limit = agent->agent->max_request_bytes();
  if (size <= limit) return {};
  return {StatusCode::kResourceExhausted,
          "the request has " + std::to_string(size) + " bytes, more than the limit of " +
              std::to_string(limit) + "; see agent.limits.max_request_bytes",
          {}};
}

Outcome create(const longshore_agent_options* given, longshore_agent** agent) {
  if (!agent) return invalid("there is no place for the agent: `agent` is null");
  *agent = nullptr;
  const Result<longshore_agent_options> copied = copy_of(given, "longshore_agent_options");
  if (!copied) return outcome_of(copied.error());
  const longshore_agent_options& copy = *copied;
  if (copy.toml_text && copy.toml_file) {
    return invalid("toml_text and toml_file are both set; the configuration is one of them");
  }
  EmbeddedAgent::Options options;
  if (copy.toml_text) options.text = copy.toml_text;
  if (copy.toml_file) options.file = copy.toml_file;
  for (const char* const* folder = copy.module_dirs; folder && *folder; ++folder) {
    options.module_dirs.emplace_back(*folder);
  }
  if (copy.log) {
    options.log = [log = copy.log, user = copy.log_user](longshore::observe::Level level,
                                                         std::string_view line) {
      log(user, static_cast<int32_t>(level), line.data(), line.size());
    };
  }
  Result<std::unique_ptr<EmbeddedAgent>> made = EmbeddedAgent::create(std::move(options));
  if (!made) return outcome_of(made.error());
  *agent = new longshore_agent{std::move(*made)};
  return {};
}

Outcome destroy(longshore_agent* agent) {
  if (longshore::embed::in_event()) return refused_in_event("longshore_agent_destroy");
  const std::unique_ptr<longshore_agent> owned(agent);
  if (!agent || agent->agent->end()) return {};
  static_cast<void>(owned->agent.release());  // threads of a module may still use it
  return {StatusCode::kDeadlineExceeded,
          "a module, or a function that was told of a call, hangs and is left behind, with what it "
          "uses",
          {}};
}

Outcome call(longshore_agent* agent, const char* method, const void* request, size_t size,
             const longshore_call_options* given) {
  if (longshore::embed::in_event()) return refused_in_event("longshore_agent_call");
  if (Outcome objection = objection_to(agent, method, request, size);
      objection.code != StatusCode::kOk) {
    return objection;
  }
  Result<CallOptions> options = call_options(given);
  if (!options) return outcome_of(options.error());
  return agent->agent->call(
      method, longshore::router::request_copy({static_cast<const char*>(request), size}),
      std::move(*options));
}

Outcome start_call(longshore_agent* agent, const char* method, const void* request, size_t size,
                   const longshore_call_options* given, const longshore_call_events* events,
                   uint64_t* handle) {
  if (handle) *handle = 0;
  const Result<longshore_call_events> copied = copy_of(events, "longshore_call_events");
  if (!copied) return outcome_of(copied.error());
  if (!copied->on_done) return invalid("the call's events have no on_done");
  const auto observer =
      std::make_shared<StartedCall>(*copied, agent ? &agent->agent->event_thread() : nullptr);
  const auto refuse = [&](Outcome outcome) -> Outcome {
    observer->on_finish(outcome.code, std::move(outcome.text));
    return {};
  };
  if (Outcome objection = objection_to(agent, method, request, size);
      objection.code != StatusCode::kOk) {
    return refuse(std::move(objection));
  }
  Result<CallOptions> options = call_options(given);
  if (!options) return refuse(outcome_of(options.error()));
  try {
    const uint64_t started = agent->agent->start_call(
        method, longshore::router::request_copy({static_cast<const char*>(request), size}),
        std::move(*options), observer);
    if (handle) *handle = started;
    return {};
  } catch (...) {
    // There is no memory for it. on_done is told in every case, and once.
    return refuse({StatusCode::kResourceExhausted, {}, {}});
  }
}

// Does something to a call that has not ended.
template <typename Function>
int32_t with_call(longshore_agent* agent, uint64_t handle, const Function& function) noexcept {
  return guarded(nullptr, [&]() -> Outcome {
    const auto found = agent ? agent->agent->find_call(handle) : nullptr;
    if (!found) return {StatusCode::kNotFound, {}, {}};
    function(*found);
    return {};
  });
}

}  // namespace

extern "C" {

const char* longshore_version(void) { return longshore::core::kVersion; }

int32_t longshore_reply_code(const longshore_reply* reply) {
  return static_cast<int32_t>(reply ? reply->outcome.code : StatusCode::kResourceExhausted);
}

const char* longshore_reply_text(const longshore_reply* reply) {
  return reply ? reply->outcome.text.c_str() : "there is no reply, or no memory for one";
}

const void* longshore_reply_data(const longshore_reply* reply) {
  return reply ? reply->outcome.response.data() : nullptr;
}

size_t longshore_reply_size(const longshore_reply* reply) {
  return reply ? reply->outcome.response.size() : 0;
}

void longshore_reply_free(longshore_reply* reply) { delete reply; }

int32_t longshore_agent_create(const longshore_agent_options* options, longshore_agent** agent,
                               longshore_reply** reply) {
  return guarded(reply, [&] { return create(options, agent); });
}

int32_t longshore_agent_destroy(longshore_agent* agent, longshore_reply** reply) {
  return guarded(reply, [&] { return destroy(agent); });
}

int32_t longshore_agent_reload(longshore_agent* agent, const char* toml_text,
                               longshore_reply** reply) {
  return guarded(reply, [&]() -> Outcome {
    if (longshore::embed::in_event()) return refused_in_event("longshore_agent_reload");
    if (!agent) return invalid("the agent is null");
    const auto text = toml_text ? std::optional<std::string_view>(toml_text) : std::nullopt;
    const Result<void> reloaded = agent->agent->reload(text);
    return reloaded ? Outcome() : outcome_of(reloaded.error());
  });
}

int32_t longshore_agent_call(longshore_agent* agent, const char* method, const void* request,
                             size_t request_size, const longshore_call_options* options,
                             longshore_reply** reply) {
  return guarded(reply, [&] { return call(agent, method, request, request_size, options); });
}

int32_t longshore_agent_start_call(longshore_agent* agent, const char* method, const void* request,
                                   size_t request_size, const longshore_call_options* options,
                                   const longshore_call_events* events, uint64_t* handle) {
  return guarded(nullptr, [&] {
    return start_call(agent, method, request, request_size, options, events, handle);
  });
}

int32_t longshore_agent_cancel(longshore_agent* agent, uint64_t handle) {
  return with_call(agent, handle, [](longshore::router::Call& call) { call.cancel(); });
}

int32_t longshore_agent_resume(longshore_agent* agent, uint64_t handle) {
  return with_call(agent, handle, [](longshore::router::Call& call) { call.resume(); });
}

}  // extern "C"
