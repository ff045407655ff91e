// What the process of a test leaves for the one that started it, in memory that both share: no
// descriptor that a module could close.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#include "tools/module_check/run_apart.h"

namespace longshore::module_check {

template <size_t kSize>
struct SharedText {
  std::array<char, kSize> bytes;

  void set(std::string_view text) {
    const size_t size = std::min(text.size(), kSize - 1);
    std::memcpy(bytes.data(), text.data(), size);
    bytes[size] = '\0';
  }
  std::string get() const { return {bytes.data(), strnlen(bytes.data(), kSize)}; }
};

// Of zeros at first.
struct SharedReport {
  std::atomic<bool> is_complete;
  Outcome outcome;
  bool serves;
  SharedText<8192> text;
  SharedText<1024> advice;
  SharedText<512> step;

  void set(const Report& report) {
    outcome = report.outcome;
    serves = report.serves;
    text.set(report.text);
    advice.set(report.advice);
    is_complete = true;
  }
  Report get() const { return {outcome, text.get(), advice.get(), serves}; }

  // What the test was at when its process ended.
  std::string during() const {
    const std::string last = step.get();
    return last.empty() ? "" : ", while " + last;
  }
};

class SharedSteps final : public Steps {
 public:
  explicit SharedSteps(SharedReport& report) : report_(report) {}
  void begin(std::string_view what) override {
    const std::lock_guard lock(mutex_);
    report_.step.set(what);
  }

 private:
  SharedReport& report_;
  std::mutex mutex_;
};

inline Report report_of_crash(const SharedReport& report, const std::string& how) {
  return {Outcome::kCrashed, how + report.during(),
          "run the module's own tests under AddressSanitizer, or this one in a debugger", false};
}

inline Report report_of_exit(const SharedReport& report, const std::string& status) {
  return {Outcome::kFailed, "the module ended the process with status " + status + report.during(),
          "a module must not call exit: it would end the agent", false};
}

inline Report report_of_hang(const SharedReport& report) {
  return {Outcome::kFailed, "it hangs" + report.during(),
          "bound every wait and heed cancellation; or allow more with --time-limit", false};
}

}  // namespace longshore::module_check
