// How a service says what its call would hang on, before its backend touches that; and until when
// the call may take.
//
// Owner: a plain value, and harmless when it outlives its call, as a Context is. Threads: any.
#pragma once

#include <optional>
#include <string_view>

#include "longshore/context.hpp"
#include "longshore/deadline.hpp"
#include "longshore/result.hpp"

namespace longshore::support {

// Whether a call for a path follows a link that the path's last name is. Others it follows always.
enum class LastLink { kIsFollowed, kIsKept };

class Bulkhead {
 public:
  // Of no call, as in tests of a service alone: nobody counts.
  Bulkhead() = default;
  explicit Bulkhead(Context call) : call_(call) {}

  // See Context::enter_bulkhead. An empty key: nothing is known but the call's own object, which
  // the agent knows already.
  Result<void> enter(std::string_view key) const {
    if (!call_ || key.empty()) return {};
    return call_->enter_bulkhead(key);
  }

  Deadline deadline() const { return call_ ? deadline_of(*call_) : Deadline(); }

 private:
  std::optional<Context> call_;
};

}  // namespace longshore::support
