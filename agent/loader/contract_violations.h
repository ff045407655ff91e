// What an instance did against the contract of abi.h: finished a call twice, used a handle that is
// none, called the agent after its end. Each is answered with an error, counted, and logged.
//
// Nothing of it is on the path of a call that goes well.
// Threads: any. Owner: the instance.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "observe/log.h"
#include "observe/rate_limited_log.h"

namespace longshore::loader {

class ContractViolations {
 public:
  // `function` is the agent's that was called ("finish"), `what` a sentence of what was wrong.
  void add(observe::RateLimitedLog& log, const std::string& module, std::string_view function,
           std::string_view what) {
    uint64_t count = 0;
    {
      const std::lock_guard lock(mutex_);
      count = ++count_;
      last_ = std::string(function) + ": " + std::string(what);
    }
    log.write(observe::Level::kWarning, "the module breaks its contract",
              {{"module", module},
               {"function", std::string(function)},
               {"reason", std::string(what)},
               {"violations", std::to_string(count)}});
  }

  uint64_t count() const {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  // Empty: there was none.
  std::string last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;
  uint64_t count_ = 0;
  std::string last_;
};

}  // namespace longshore::loader
