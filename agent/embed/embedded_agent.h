// An agent inside another program: the core without sockets, signals or a process of its own.
//
// Of the host services it has longshore.host.v1.Agent alone: Csi and Http need libraries, of HTTP/2
// and of HTTP, that liblongshore does without.
//
//   create ──► serving ◄──► reload        end ──► gone; destroy it unless something is left behind
//
// Threads: `call` and `start_call` any; `reload` one at a time, a second caller waits; `end` once,
// when nobody else is inside. Owner: liblongshore's handle (c_api.cc), or a test.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/loaded.h"
#include "core/core.h"
#include "core/running_configuration.h"
#include "embed/event_thread.h"
#include "embed/outcome.h"
#include "files/state_lock.h"
#include "longshore/result.hpp"
#include "observe/log.h"
#include "router/router.h"

namespace longshore::embed {

// What a call is besides its method and bytes; see longshore_call_options.
struct CallOptions {
  std::optional<std::chrono::nanoseconds> timeout;
  std::string request_id;
};

class EmbeddedAgent {
 public:
  struct Options {
    std::string text;  // the configuration, unless it is in a file
    std::string file;
    std::vector<std::string> module_dirs;
    std::function<void(observe::Level level, std::string_view line)> log;
  };

  // Starts the modules that the configuration names; one that does not start leaves the others be.
  static Result<std::unique_ptr<EmbeddedAgent>> create(Options options);
  ~EmbeddedAgent();
  EmbeddedAgent(const EmbeddedAgent&) = delete;
  EmbeddedAgent& operator=(const EmbeddedAgent&) = delete;

  // Applies another configuration: the text, or without one the file as it is now.
  Result<void> reload(std::optional<std::string_view> text);

  // Ends all modules and calls. False: something of a module is left, so this must not be
  // destroyed.
  bool end();

  // Larger requests are refused here as they are at a socket. A reload cannot change it.
  size_t max_request_bytes() const { return max_request_bytes_; }

  // Runs a unary call on this thread, as far as the module does not take it elsewhere.
  Outcome call(std::string_view method, std::string request, CallOptions options);

  // Starts a call; `observer` is told everything. The handle, or 0 when it is over already.
  uint64_t start_call(std::string_view method, std::string request, CallOptions options,
                      std::shared_ptr<router::CallObserver> observer);
  EventThread& event_thread() { return event_thread_; }
  // The call behind a handle that start_call gave; null when it has its outcome.
  std::shared_ptr<router::Call> find_call(uint64_t handle);

 private:
  EmbeddedAgent(Options options, config::Loaded loaded, files::StateLock state,
                std::unique_ptr<core::InspectedModules> inspected,
                std::unique_ptr<observe::Log> log);
  static Result<config::Loaded> load(const Options& options, core::InspectedModules& inspected);

  std::shared_ptr<router::Call> begin(std::string_view method, std::string request,
                                      CallOptions options,
                                      std::shared_ptr<router::CallObserver> observer,
                                      router::CallRunner* runner);

  const Options options_;
  const files::StateLock state_;  // until all that writes there is gone
  const std::unique_ptr<observe::Log> log_;
  const std::shared_ptr<const router::Caller> caller_;
  const size_t max_request_bytes_;
  std::mutex reload_mutex_;  // one at a time
  core::Core core_;
  core::RunningConfiguration configuration_;
  EventThread event_thread_{core_.timers};
};

}  // namespace longshore::embed
