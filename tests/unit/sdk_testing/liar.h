// A module of the test's own, on the bare ABI, each function of which may be made to misbehave. It
// carries the description of the echo module, so that it can be called by the same methods.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "longshore/abi.h"
#include "longshore/module/v1.pb.h"

namespace longshore::testing {

// One instance. What a function is not given it does well. Outlives the host.
class Liar {
 public:
  Liar();
  Liar(const Liar&) = delete;
  Liar& operator=(const Liar&) = delete;

  std::function<longshore_result()> on_create;
  std::function<void(longshore_call)> on_start, on_invoke, on_cancel, on_stop;
  std::function<void()> on_destroy;

  void describe(const module::v1::Description& description);
  // To be changed before it is used.
  longshore_module_entry& entry() { return entry_; }

  // What a well-behaved module does.
  longshore_result send(longshore_call call, const std::string& message = {}) const;
  longshore_result finish(longshore_call call, longshore_status_code code = 0) const;
  void answer(longshore_call call) const;
  longshore_result post(std::chrono::nanoseconds delay,
                        void (*function)(void* user, longshore_result answer), void* user) const;

  const longshore_host* host = nullptr;  // from create on
  longshore_instance functions;          // what create gives

 private:
  longshore_module_entry entry_;
  std::string description_;
};

}  // namespace longshore::testing
