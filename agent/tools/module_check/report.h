// What a test of longshore-module-check found.
//
// Plain values; Findings belongs to one test and one thread.
#pragma once

#include <string>
#include <string_view>

namespace longshore::module_check {

enum class Outcome { kPassed, kWarning, kSkipped, kFailed, kCrashed };

inline const char* outcome_name(Outcome outcome) {
  static constexpr const char* kNames[] = {"passed", "warning", "skipped", "failed", "crashed"};
  return kNames[static_cast<int>(outcome)];
}

struct Report {
  Outcome outcome = Outcome::kPassed;
  std::string text = {};    // what was seen; empty when it passed and there is nothing to say
  std::string advice = {};  // one line: what to do
  bool serves = true;       // false: tests that need an instance that serves can be left out
};

// Collects what one test finds: the gravest counts, of equals the first.
class Findings {
 public:
  void fail(std::string text, std::string advice) {
    add({Outcome::kFailed, std::move(text), std::move(advice)});
  }
  void warn(std::string text, std::string advice) {
    add({Outcome::kWarning, std::move(text), std::move(advice)});
  }
  // Why there is nothing to find.
  void skip(std::string why, std::string advice) {
    add({Outcome::kSkipped, std::move(why), std::move(advice)});
  }
  // A sentence of the fake host about the contract, with what to do against it.
  void violation(const std::string& sentence);
  void does_not_serve() { report_.serves = false; }

  bool has_failed() const { return report_.outcome == Outcome::kFailed; }
  // With the number of the others.
  Report report() const;

 private:
  void add(Report found);

  Report report_;
  int others_ = 0;
};

}  // namespace longshore::module_check
