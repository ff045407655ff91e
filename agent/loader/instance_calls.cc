// The calls of an instance: from submit to their end.
#include <utility>

#include "loader/instance.h"
#include "observe/crash_handler.h"

namespace longshore::loader {

using router::Call;

Result<void> Instance::submit(std::shared_ptr<Call> call) {
  const Result<Admission::Place> place = admission_.admit(call, *this);
  if (!place) return place.error();
  if (*place == Admission::Place::kRuns) begin(std::move(call));
  return {};
}

void Instance::begin(std::shared_ptr<Call> call) {
  if (code_->never_blocks()) return call->run();
  router::CallRunner* runner = call->runner();
  if (runner && runner->takes(call->method())) {
    runner->run_soon(std::move(call), pool_);
  } else {
    pool_.post(std::move(call));
  }
}

void Instance::execute(Call& call) {
  const std::string& method = call.method().full_name;
  const std::string_view request = call.request();
  const bool of_pool = pool_.is_this_thread();
  const InFlightGuard stay(gate_);  // open: it is closed when no call is left
  if (of_pool && !admission_.enter_thread(call)) return;
  const observe::CallOnThread on_thread(options_.name, method, call.request_id());
  functions_.invoke(self_, call.handle(), {method.data(), method.size()},
                    {request.data(), request.size()});
  if (!of_pool && !call.method().long_running) return;
  const Admission::Left left = admission_.leave(call);
  // If this thread was given up as stuck meanwhile, another took its place.
  if (left.thread_was_lost) pool_.thread_returned();
  if (left.others_may_run) start_waiting_calls();
}

void Instance::on_cancel(Call& call) { notify(functions_.cancel, call.handle()); }

void Instance::on_writable(Call& call) { notify(functions_.writable, call.handle()); }

void Instance::notify(void (*function)(void* self, longshore_call call), longshore_call call) {
  if (!function) return;
  notifications_.post([keep = shared_from_this(), function, call] {
    const InFlightGuard stay(keep->gate_);
    const observe::CallOnThread on_thread(keep->options_.name, "cancel or writable", {});
    if (stay) function(keep->self_, call);
  });
}

void Instance::on_given_back(Call& call) {
  // Before another thread can find that it may run.
  if (options_.on_waiting) options_.on_waiting(call.origin(), admission_.waits_behind(call));
  admission_.wait_again(std::static_pointer_cast<Call>(call.shared_from_this()));
  start_waiting_calls();
}

void Instance::on_stuck(Call& call) {
  const Admission::Stuck stuck = admission_.stick(call);
  if (stuck == Admission::Stuck::kNo) return;
  call_log_.write_stuck(options_.name, call);
  if (stuck == Admission::Stuck::kReplaced) pool_.thread_lost();
  start_waiting_calls();
}

void Instance::on_end(Call& call) {
  const StatusCode outcome = call.outcome();
  // That its reader goes is how a watch ends.
  const bool is_well = outcome == StatusCode::kOk ||
                       (outcome == StatusCode::kCancelled && call.method().long_running);
  const bool others_wait = admission_.end(call, is_well);
  if (!options_.write_log) call_log_.write_outcome(options_.name, call, outcome);
  if (others_wait) start_waiting_calls();
}

void Instance::start_waiting_calls() {
  for (auto turn = admission_.first_turn(); turn.call; turn = admission_.next_turn()) {
    if (turn.is_hopeless) {
      turn.call->end_early(StatusCode::kUnavailable, "earlier calls are stuck in the module");
      continue;
    }
    if (turn.was_given_back && options_.on_waiting) options_.on_waiting(turn.call->origin(), {});
    begin(std::move(turn.call));
  }
}

}  // namespace longshore::loader
