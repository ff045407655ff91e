// What the admission says: why a call is refused, and why the module serves badly.
#include <string>

#include "loader/admission.h"

namespace longshore::loader {

using router::Call;

namespace {

Error refusal(StatusCode code, const Call& call) { return {code, "call", call.method().full_name}; }

}  // namespace

Error Admission::refuse_for_door(const Call& call) const {
  return refusal(StatusCode::kUnavailable, call)
      .because("the module " + options_.name + " is " + name_of(lifecycle_.state()))
      .advise("try again");
}

Error Admission::hopeless(const Call& call) const {
  return refusal(StatusCode::kUnavailable, call)
      .because("an earlier call for \"" + call.object() + "\" is stuck in the module")
      .advise("the device or server behind it does not answer");
}

Error Admission::crowded(const Call& call, std::string_view key) const {
  return refusal(StatusCode::kResourceExhausted, call)
      .because(std::to_string(bulkheads_.most_running()) + " calls of the module " + options_.name +
               " for \"" + std::string(key) + "\" run, and no more may wait behind them")
      .advise("try again later; the device or server behind it is slow or does not answer");
}

Error Admission::refuse_for_number(const Call& call) const {
  return refusal(StatusCode::kResourceExhausted, call)
      .because(std::to_string(running()) + " calls of the module " + options_.name + " run and " +
               std::to_string(queued()) + " wait" +
               (is_full() ? "" : ", with more bytes of callers in the agent than may wait"))
      .advise("try again later, or raise max_concurrent_calls");
}

Error Admission::refuse_for_streams(const Call& call) const {
  return refusal(StatusCode::kResourceExhausted, call)
      .because(std::to_string(long_running_) + " streams of the module " + options_.name +
               " wait, run or are open")
      .advise("try again later, or raise max_open_streams");
}

std::string Admission::why_degraded() const {
  if (stuck_ == 0) return {};
  return std::to_string(stuck_) + (stuck_ == 1 ? " call is" : " calls are") +
         " stuck past the deadline" + bulkheads_.stuck_keys() +
         "; the device or server behind does not answer, or the module hangs";
}

}  // namespace longshore::loader
