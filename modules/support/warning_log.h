// Where a call that succeeds leaves what its caller need not act upon and an administrator has to
// know: a warning in the log, with the call's method, request id and object.
//
// Owner: a plain value, and harmless when it outlives its call, as a Context is. Threads: any.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "longshore/context.hpp"

namespace longshore::support {

class WarningLog {
 public:
  // Of no call, as in tests of a service alone: nobody reads it.
  WarningLog() = default;
  explicit WarningLog(Context call)
      : write_([call](std::string_view text) { call.log(LONGSHORE_LOG_WARNING, text); }) {}
  explicit WarningLog(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  void write(std::string_view text) const {
    if (write_) write_(text);
  }

 private:
  std::function<void(std::string_view)> write_;
};

}  // namespace longshore::support
