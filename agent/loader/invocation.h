// A call that a module makes, seen from its side: messages as far as it granted, then the outcome.
//
// Deliveries happen one at a time and in order, on the instance's thread for completions, or within
// the function of the module's that caused them. The outcome waits
// behind messages for which there is no credit yet, unless it is an error: that drops them.
// Owner: the instance's table of invocations, until the outcome has been delivered.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "longshore/abi.h"
#include "router/call.h"
#include "router/credit.h"

namespace longshore::loader {

class HostSide;

class Invocation final : public router::CallObserver,
                         public router::Work,
                         public std::enable_shared_from_this<Invocation> {
 public:
  // Copies what it needs of `request`.
  Invocation(std::shared_ptr<HostSide> side, const longshore_invoke_request& request);

  // The handle under which the module knows it. Set before the call is started.
  void set_handle(longshore_invocation handle) { handle_ = handle; }
  // The call, once it is started; it may already be over.
  void set_call(std::shared_ptr<router::Call> call);

  void grant(uint32_t messages);
  void cancel();
  // Ends it with UNAVAILABLE, whatever its call does.
  void revoke(const std::string& reason);

  bool on_message(std::string message) override;
  void on_response(std::string message) override;
  void on_finish(StatusCode code, std::string text) override;

  // Delivers what may be delivered, unless another thread is at it: that one goes on.
  void run() override;

 private:
  struct Outcome {
    StatusCode code;
    std::string text;
  };

  void deliver();
  // The call to tell that there is room again, if it has to be told. Locked.
  std::shared_ptr<router::Call> take_waiting_call();

  const std::shared_ptr<HostSide> side_;
  void* const user_;
  decltype(longshore_invoke_request::on_message) const on_message_;
  decltype(longshore_invoke_request::on_finish) const on_finish_;
  longshore_invocation handle_ = 0;

  std::mutex mutex_;
  std::shared_ptr<router::Call> call_;
  std::list<std::string> messages_;  // not a deque, which takes half a kilobyte while it is empty
  std::optional<Outcome> outcome_;
  router::Credit credit_;
  bool is_scheduled_ = false;  // a delivery is on its way to its thread
  bool delivering_ = false;
  bool cancelled_ = false;
  bool finished_ = false;
};

}  // namespace longshore::loader
