// The agent inside your own program: liblongshore for C++20, over longshore/agent.h.
//
//     auto agent = longshore::EmbeddedAgent::from_file("/etc/longshore/agent.toml");
//     if (!agent) return fail(agent.error().message());
//     longshore::ApiGroup filesystem = agent->group("v1.Filesystem");
//     v1::PathExistsRequest request;
//     request.set_path("/var/lib/kubelet");
//     auto response = filesystem.call<v1::PathExistsResponse>("PathExists", request);
//     if (response && response->exists()) ...
//
// Group, request, response: the shape of csi-proxy's library for Go. Messages are whatever your
// protobuf makes of the .proto files, full or lite, of any version: only bytes reach the library.
//
// Header-only; link liblongshore. Nothing here throws but what allocating throws; the functions
// that you pass must not throw, and end the program if they do. Threads, events and what the
// library does not do to your program: see longshore/agent.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/agent.h"
#include "longshore/result.hpp"

namespace longshore {

// See longshore_call_options.
struct CallOptions {
  std::chrono::nanoseconds timeout{0};  // 0: as the configuration says
  std::string request_id;               // empty: a new one
};

// What an agent is made with; see longshore_agent_options.
struct AgentOptions {
  std::vector<std::string> module_dirs;  // searched before agent.module_dirs
  // Gets the log's lines; any thread. Levels: 1 debug to 4 error.
  std::function<void(int level, std::string_view line)> log;
};

namespace embedded {

struct ReplyDeleter {
  void operator()(longshore_reply* reply) const { longshore_reply_free(reply); }
};
using Reply = std::unique_ptr<longshore_reply, ReplyDeleter>;

inline Error error_of(const longshore_reply* reply) {
  return Error::of_text(static_cast<StatusCode>(longshore_reply_code(reply)),
                        longshore_reply_text(reply));
}

inline std::string_view bytes_of(const longshore_reply* reply) {
  return {static_cast<const char*>(longshore_reply_data(reply)), longshore_reply_size(reply)};
}

inline longshore_call_options options_of(const CallOptions& options) {
  longshore_call_options plain{};
  plain.struct_size = sizeof(plain);
  plain.timeout_ns = options.timeout.count();
  plain.request_id = options.request_id.empty() ? nullptr : options.request_id.c_str();
  return plain;
}

template <typename Message>
Result<Message> parsed(std::string_view bytes, std::string_view method_name) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Error(StatusCode::kInternal, "read the answer of", std::string(method_name))
        .because("it is no message of the expected type");
  }
  return message;
}

}  // namespace embedded

// A call that was started. Threads: any. Owner: whoever wants to cancel it; letting go of it does
// not end the call. Must not outlive the agent's use.
class StartedCall {
 public:
  StartedCall(longshore_agent* agent, uint64_t handle) : agent_(agent), handle_(handle) {}

  // Whether the call was still there to be cancelled.
  bool cancel() { return longshore_agent_cancel(agent_, handle_) == 0; }
  // There is room again, after an on_message that answered false.
  bool resume() { return longshore_agent_resume(agent_, handle_) == 0; }

 private:
  longshore_agent* agent_;
  uint64_t handle_;
};

// One API group in one version, "v1.Filesystem", of an agent. Cheap to copy. Must not outlive the
// agent. Threads: any.
class ApiGroup {
 public:
  ApiGroup(longshore_agent* agent, std::string service)
      : agent_(agent), prefix_(std::move(service) + '/') {}

  // Calls a unary method ("PathExists") on this thread and waits for its end; see
  // longshore_agent_call for what a deadline can do then.
  template <typename Response, typename Request>
  Result<Response> call(std::string_view method_name, const Request& request,
                        const CallOptions& options = {}) {
    const std::string name = prefix_ + std::string(method_name);
    const std::string bytes = request.SerializeAsString();
    const longshore_call_options plain = embedded::options_of(options);
    longshore_reply* reply = nullptr;
    const int32_t code =
        longshore_agent_call(agent_, name.c_str(), bytes.data(), bytes.size(), &plain, &reply);
    const embedded::Reply owned(reply);
    if (code != 0) return embedded::error_of(reply);
    return embedded::parsed<Response>(embedded::bytes_of(reply), name);
  }

  // Starts a unary call; `done` gets the response or the error, once, on any thread, and must not
  // block.
  template <typename Response, typename Request>
  StartedCall start(std::string_view method_name, const Request& request,
                    std::function<void(Result<Response>)> done, const CallOptions& options = {}) {
    return start_bytes(prefix_ + std::string(method_name), request.SerializeAsString(), options,
                       nullptr,
                       [done = std::move(done),
                        name = prefix_ + std::string(method_name)](longshore_reply* reply) {
                         if (longshore_reply_code(reply) != 0)
                           return done(embedded::error_of(reply));
                         done(embedded::parsed<Response>(embedded::bytes_of(reply), name));
                       });
  }

  // Starts a streaming call; `message` gets each message and answers whether there is room for
  // more (after false, call StartedCall::resume), `done` the outcome.
  template <typename Response, typename Request>
  StartedCall stream(std::string_view method_name, const Request& request,
                     std::function<bool(Result<Response>)> message,
                     std::function<void(Result<void>)> done, const CallOptions& options = {}) {
    return start_bytes(
        prefix_ + std::string(method_name), request.SerializeAsString(), options,
        [message = std::move(message), name = prefix_ + std::string(method_name)](
            std::string_view bytes) { return message(embedded::parsed<Response>(bytes, name)); },
        [done = std::move(done)](longshore_reply* reply) {
          done(longshore_reply_code(reply) == 0 ? Result<void>() : embedded::error_of(reply));
        });
  }

 private:
  // What a started call holds until it is done.
  struct Events {
    std::function<bool(std::string_view)> message;
    std::function<void(longshore_reply*)> done;
  };

  StartedCall start_bytes(const std::string& method_name, const std::string& request,
                          const CallOptions& options, std::function<bool(std::string_view)> message,
                          std::function<void(longshore_reply*)> done) {
    auto held = std::make_unique<Events>(Events{std::move(message), std::move(done)});
    longshore_call_events events{};
    events.struct_size = sizeof(events);
    events.user = held.release();  // on_done comes in every case, and frees it
    events.on_message = [](void* user, const void* data, size_t size) noexcept -> int32_t {
      const auto& function = static_cast<Events*>(user)->message;
      return !function || function({static_cast<const char*>(data), size}) ? 1 : 0;
    };
    events.on_done = [](void* user, longshore_reply* reply) noexcept {
      const std::unique_ptr<Events> owned(static_cast<Events*>(user));
      const embedded::Reply owned_reply(reply);
      owned->done(reply);
    };
    const longshore_call_options plain = embedded::options_of(options);
    uint64_t handle = 0;
    const int32_t refused = longshore_agent_start_call(agent_, method_name.c_str(), request.data(),
                                                       request.size(), &plain, &events, &handle);
    if (refused != 0) events.on_done(events.user, nullptr);  // no memory: nobody else tells it
    return {agent_, handle};
  }

  longshore_agent* agent_;
  std::string prefix_;
};

// An agent. Destroying it stops its modules, as longshore_agent_destroy does.
class EmbeddedAgent {
 public:
  // The configuration's text, or a file. The error holds every finding, a line each.
  static Result<EmbeddedAgent> from_text(const std::string& toml, AgentOptions options = {}) {
    return make(toml.c_str(), nullptr, std::move(options));
  }
  static Result<EmbeddedAgent> from_file(const std::string& path, AgentOptions options = {}) {
    return make(nullptr, path.c_str(), std::move(options));
  }

  // "v1.Filesystem"; whether a module serves it is seen when it is called.
  ApiGroup group(std::string service) const { return {state_->agent, std::move(service)}; }

  // See longshore_agent_reload.
  Result<void> reload(const std::string& toml) { return reloaded(toml.c_str()); }
  Result<void> reload_file() { return reloaded(nullptr); }

  // For what only the C functions do.
  longshore_agent* get() const { return state_->agent; }

 private:
  // On the heap, because the log's function must stay where it is when the agent is moved.
  struct State {
    AgentOptions options;
    longshore_agent* agent = nullptr;
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { longshore_agent_destroy(agent, nullptr); }
  };

  explicit EmbeddedAgent(std::unique_ptr<State> state) : state_(std::move(state)) {}

  static Result<EmbeddedAgent> make(const char* text, const char* file, AgentOptions options) {
    auto state = std::make_unique<State>();
    state->options = std::move(options);
    std::vector<const char*> folders;
    for (const std::string& folder : state->options.module_dirs) folders.push_back(folder.c_str());
    folders.push_back(nullptr);
    longshore_agent_options plain{};
    plain.struct_size = sizeof(plain);
    plain.toml_text = text;
    plain.toml_file = file;
    plain.module_dirs = folders.data();
    plain.log_user = state.get();
    if (state->options.log) {
      plain.log = [](void* user, int32_t level, const char* line, size_t size) noexcept {
        static_cast<State*>(user)->options.log(level, {line, size});
      };
    }
    longshore_reply* reply = nullptr;
    const int32_t code = longshore_agent_create(&plain, &state->agent, &reply);
    const embedded::Reply owned(reply);
    if (code != 0) return embedded::error_of(reply);
    return EmbeddedAgent(std::move(state));
  }

  Result<void> reloaded(const char* text) {
    longshore_reply* reply = nullptr;
    const int32_t code = longshore_agent_reload(state_->agent, text, &reply);
    const embedded::Reply owned(reply);
    if (code != 0) return embedded::error_of(reply);
    return {};
  }

  std::unique_ptr<State> state_;
};

}  // namespace longshore
