// A host for one module in a test: all that abi.h promises a module, without an agent.
//
//   const longshore::testing::ModuleFile file(SHELF_MODULE);
//   FakeHost host(file.entry());
//   host.start({.settings = {{"capacity", 2}}});
//   auto shelf = host.call<GetResponse>("acme.shelf.v1.Shelf/Get", request);
//   CHECK(host.end().empty());
//
// NOTHING HAPPENS BY ITSELF, so that tests need no sleep. Handlers run on the thread that calls
// them. Time stands still until `advance`; deadlines and posted functions keep to that clock, and
// posted functions run inside `advance` and `run_posts`. Only a wait for something that never comes
// ends by the real clock: after `patience`.
//
// VIOLATIONS. Whatever the module does against the contract is recorded as a sentence: finishing a
// call twice or never, sending after the end, a second answer of a unary method, posting after the
// stop, and so on. A host with violations that nobody asked for ends the test program.
//
// Threads: a module may use the host from any thread; a test uses it from one, except that while
// the instance serves any number of threads may call `begin_bytes`, wait for calls and `advance`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/abi.h"
#include "longshore/result.hpp"
#include "longshore/testing/options.hpp"
#include "longshore/testing/pending_call.hpp"

namespace longshore::testing {

class FakeHost {
 public:
  // Makes an instance of a module: one that ModuleFile has loaded, or the test's own
  // `longshore_module`. What is wrong with the entry, or that it refuses, is a violation; there is
  // no instance then, and every call fails.
  explicit FakeHost(const longshore_module_entry& entry,
                    std::chrono::nanoseconds patience = std::chrono::seconds(30));
  // Ends the instance if the test has not. Prints violations that nobody asked for, and aborts.
  ~FakeHost();
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  // Brings the instance to life. Settings that the test does not give have the defaults of the
  // description. INVALID_ARGUMENT, without asking the module, where the agent would refuse them.
  Result<void> start(const StartOptions& options = {});
  // The same with the bytes of a longshore.module.v1.Settings, or of anything else: the agent gives
  // checked ones only, and a module should outlive others.
  Result<void> start_bytes(std::string settings, std::string handover = {});

  // Calls a unary method and waits for the answer. What the module answers is returned even where
  // a cancelled call's caller would not hear it.
  template <typename Response, typename Request>
  Result<Response> call(std::string_view method, const Request& request,
                        const CallOptions& options = {}) {
    return begin(method, request, options).template wait<Response>();
  }

  // Calls a server stream and collects what it sends. For handlers that wait for credit see
  // `begin_on_thread`.
  template <typename Message, typename Request>
  Result<std::vector<Message>> call_stream(std::string_view method, const Request& request,
                                           const CallOptions& options = {}) {
    return begin(method, request, options).template wait_for_all<Message>();
  }

  // Calls a method and does not wait, beyond what the handler does before it returns.
  template <typename Request>
  PendingCall begin(std::string_view method, const Request& request,
                    const CallOptions& options = {}) {
    return begin_bytes(method, request.SerializeAsString(), options);
  }
  PendingCall begin_bytes(std::string_view method, std::string request,
                          const CallOptions& options = {});

  // The same with the handler on a thread of its own, for one that blocks: until it is cancelled,
  // or until there is credit. The thread ends with the host at the latest.
  template <typename Request>
  PendingCall begin_on_thread(std::string_view method, const Request& request,
                              const CallOptions& options = {}) {
    return begin_bytes_on_thread(method, request.SerializeAsString(), options);
  }
  PendingCall begin_bytes_on_thread(std::string_view method, std::string request,
                                    const CallOptions& options = {});

  // What a method answers that the module invokes; `function` takes a Request and returns
  // Result<Response>. Methods without an answer are UNIMPLEMENTED, with kNoAnswer and their name.
  //   host.answer<ListDiskIDsRequest>("v1.Disk/ListDiskIDs", [](const auto& request) { ... });
  template <typename Request, typename Function>
  void answer(std::string_view method, Function function) {
    response_bytes(method, [function](std::string_view bytes) {
      return answer_of<Request>(bytes, function, [](const auto& response, Answer& answer) {
        answer.messages.push_back(response.SerializeAsString());
      });
    });
  }
  // The same for a server stream: `function` returns Result<std::vector<Message>>. The stream ends
  // after these. A change that comes later is tested by another answer to the next stream: answer
  // anew, and `advance` by the ten seconds after which a Watch subscribes again at the latest.
  template <typename Request, typename Function>
  void answer_stream(std::string_view method, Function function) {
    response_bytes(method, [function](std::string_view bytes) {
      return answer_of<Request>(bytes, function, [](const auto& messages, Answer& answer) {
        for (const auto& each : messages) answer.messages.push_back(each.SerializeAsString());
      });
    });
  }
  // The same with bytes. The function runs on the thread on which the module invokes.
  void response_bytes(std::string_view method, std::function<Answer(std::string_view)> function);
  // Leaves invocations of this method open until they, or the calls they belong to, are cancelled.
  void hold(std::string_view method);
  // The requests with which the module has invoked a method so far.
  std::vector<std::string> invocations_of(std::string_view method) const;
  // Waits until it has been invoked `count` times; false after `patience`.
  bool await_invocations(std::string_view method, size_t count) const;

  // Lets time pass: runs what is due on the way, in its order, and cancels calls whose deadline
  // comes.
  void advance(std::chrono::nanoseconds time);
  // Runs the posted functions that are due now, but not those which they post in turn. How many.
  size_t run_posts();

  // Stops the instance and gives its handover. Calls that still run are cancelled, and time goes
  // on for a second so that their timers can end them.
  Result<std::string> stop();
  // Stops the instance unless that is done, destroys it and gives all violations.
  std::vector<std::string> end();

  // What the module said last of how it serves; empty: well.
  std::string degraded() const;
  // Refuses calls for this key from now on, as if others were stuck for it.
  void fill_bulkhead(std::string_view key);
  // The keys that calls have set so far.
  std::vector<std::string> bulkheads() const;

  std::vector<LogLine> log() const;
  // Whether a line with `text` in it was logged.
  bool logged(std::string_view text) const;
  // The sentences so far.
  std::vector<std::string> violations() const;

 private:
  template <typename Request, typename Function, typename Fill>
  static Answer answer_of(std::string_view bytes, const Function& function, const Fill& fill) {
    Request request;
    if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return {StatusCode::kInvalidArgument, "the request is not a valid message", {}};
    }
    auto result = function(request);
    if (!result) return {result.error().code(), result.error().message(), {}};
    Answer answer;
    fill(*result, answer);
    return answer;
  }

  // Whatever the module still holds of the host stays valid as long as a thread of it runs.
  std::shared_ptr<Session> session_;
};

}  // namespace longshore::testing
