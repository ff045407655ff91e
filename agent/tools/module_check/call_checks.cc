// What a module answers to calls.
#include <thread>

#include "observe/log_line.h"
#include "text/escape.h"
#include "tools/module_check/checks.h"
#include "tools/module_check/request_maker.h"
#include "tools/module_check/response_fault.h"

namespace longshore::module_check {
namespace {

using Methods = std::vector<const router::Method*>;

constexpr const char* kNobodyReads = "no method is annotated reads_only";
constexpr const char* kAllowMutating = "add --call-mutating where the module can do no damage";

// An instance that serves and some methods to call; without methods, the reason is a finding.
class Calls {
 public:
  Calls(Trial& trial, bool with_valid)
      : trial_(trial),
        maker_(trial.subject.files),
        methods_(methods_to_call(trial.subject, with_valid)) {
    if (methods_.empty()) {
      trial.findings.skip(with_valid ? kNobodyReads : "there is no method to call",
                          with_valid ? kAllowMutating : "see --except");
      return;
    }
    instance_ = std::make_unique<TrialInstance>(trial);
    if (!instance_->start()) instance_.reset();
  }

  explicit operator bool() const { return instance_ != nullptr; }
  TrialInstance& instance() { return *instance_; }
  const Methods& methods() const { return methods_; }

  std::string valid(const router::Method& method) {
    return maker_.valid(request_type(trial_.subject, method), trial_.random);
  }
  std::string cut(const router::Method& method) {
    return maker_.cut(request_type(trial_.subject, method), trial_.random);
  }

  // Whether nothing was found so far that makes more calls useless.
  bool go_on() const { return instance_->is_clean() && !trial_.findings.has_failed(); }

  // Stops and destroys.
  void end() {
    if (instance_->is_clean()) instance_->stop();
    instance_->end();
  }

 private:
  Trial& trial_;
  const RequestMaker maker_;
  const Methods methods_;
  std::unique_ptr<TrialInstance> instance_;
};

void judge_time(Trial& trial, const std::string& method, const Answer& answer,
                std::chrono::nanoseconds time) {
  const auto late = std::chrono::duration_cast<std::chrono::milliseconds>(answer.took - time);
  if (late < kCancelTime) return;
  trial.findings.fail(
      method + " ended " + std::to_string(late.count()) + " ms after it was cancelled",
      "ask call_state, or take cancel, wherever a handler waits or loops");
}

// Whether it only passes on what another module's method has answered: there are no others here.
bool is_passed_on(const Answer& answer) {
  return answer.text.find(testing::kNoAnswer) != std::string::npos;
}

void judge_code(Trial& trial, const std::string& method, const Answer& answer) {
  if (answer.code == StatusCode::kUnimplemented && !is_passed_on(answer)) {
    trial.findings.warn(method + " is described, and answers UNIMPLEMENTED: " + answer.text,
                        "register its handler in start, or take it out of the description");
  }
  if (answer.code == StatusCode::kInternal) {
    trial.findings.warn(method + " answers INTERNAL: " + answer.text,
                        "tell callers what is wrong with their request by another code");
  }
}

void judge_messages(Trial& trial, const router::Method& method, const Answer& answer) {
  const auto* type = answer_type(trial.subject, method);
  if (!type) return;
  for (const std::string& message : answer.messages) {
    const std::string fault = response_fault(message, *type, trial.subject.files);
    if (fault.empty()) continue;
    return trial.findings.fail("an answer of " + method.full_name + " is not its message: " + fault,
                               "encode answers with protobuf by the descriptors; texts are UTF-8");
  }
}

// The rate that agents write to their logs is limited.
void judge_log(Trial& trial, const TrialInstance& instance, size_t calls) {
  constexpr size_t kMostLinesPerCall = 20;
  if (instance.logged() <= kMostLinesPerCall * calls) return;
  trial.findings.warn("it logs " + std::to_string(instance.logged()) + " lines for " +
                          std::to_string(calls) + " calls",
                      "log less: the agent drops lines over its limit");
}

}  // namespace

void check_unknown_method(Trial& trial) {
  Calls calls(trial, false);
  if (!calls) return;
  const std::string known = calls.methods().front()->full_name;
  for (const std::string& method :
       {std::string("no.such.v1.Service/Method"), std::string("/"), known + "x",
        known + std::string("\0", 1), known.substr(0, known.size() - 1), std::string(10000, 'x')}) {
    const Answer answer = calls.instance().call(method, no_messages().front(), kCallTime, 1,
                                                /*described_only=*/false);
    if (!answer.is_finished) break;
    if (answer.code == StatusCode::kOk) {
      trial.findings.warn(
          "it answers OK to the method \"" + text::escaped(method.substr(0, 80)) + "\"",
          "answer UNIMPLEMENTED to what the description does not have");
    }
  }
  calls.end();
}

void check_garbage(Trial& trial) {
  Calls calls(trial, false);
  if (!calls) return;
  size_t made = 0;
  for (const router::Method* method : calls.methods()) {
    for (const std::string& request : no_messages()) {
      if (!calls.go_on()) break;
      const Answer answer = calls.instance().call(method->full_name, request);
      ++made;
      judge_time(trial, method->full_name, answer, kCallTime);
      if (answer.is_finished && answer.code == StatusCode::kOk) {
        trial.findings.warn(method->full_name + " answers OK to bytes that are no message",
                            "answer INVALID_ARGUMENT when a request cannot be parsed");
      }
    }
  }
  judge_log(trial, calls.instance(), made);
  calls.end();
}

void check_requests(Trial& trial) {
  constexpr int kRounds = 24;
  Calls calls(trial, true);
  if (!calls) return;
  size_t made = 0;
  for (const router::Method* method : calls.methods()) {
    for (int i = 0; i < kRounds && calls.go_on(); ++i) {
      const Answer answer = calls.instance().call(
          method->full_name, i % 4 == 3 ? calls.cut(*method) : calls.valid(*method));
      ++made;
      judge_time(trial, method->full_name, answer, kCallTime);
      judge_code(trial, method->full_name, answer);
      judge_messages(trial, *method, answer);
    }
  }
  judge_log(trial, calls.instance(), made);
  calls.end();
}

void check_cancel(Trial& trial) {
  constexpr std::array kTimes = {std::chrono::milliseconds(0), std::chrono::milliseconds(1),
                                 std::chrono::milliseconds(20)};
  Calls calls(trial, true);
  if (!calls) return;
  for (const router::Method* method : calls.methods()) {
    for (int i = 0; i < 8 && calls.go_on(); ++i) {
      const auto time = kTimes[trial.random.below(kTimes.size())];
      // Streams stand without credit, and have to notice all the same.
      const uint32_t credit = method->server_streaming ? 0 : 1;
      judge_time(trial, method->full_name,
                 calls.instance().call(method->full_name, calls.valid(*method), time, credit),
                 time);
    }
  }
  calls.end();
}

void check_exactly_once(Trial& trial) {
  Calls calls(trial, false);
  if (!calls) return;
  for (const router::Method* method : calls.methods()) {
    const bool may_be_valid = method->reads_only || trial.subject.options.call_mutating;
    for (int i = 0; i < 12 && calls.go_on(); ++i) {
      const std::string request =
          may_be_valid && i % 2 == 0 ? calls.valid(*method) : trial.random.of(no_messages());
      calls.instance().call(method->full_name, request,
                            std::chrono::microseconds(trial.random.below(3000)));
    }
  }
  calls.end();
}

namespace {

struct StormCall {
  std::string method;
  std::string request;
  std::chrono::microseconds time;
  uint32_t credit;
};

std::vector<StormCall> storm_of(Calls& calls, Trial& trial, size_t count) {
  std::vector<StormCall> storm;
  for (size_t i = 0; i < count; ++i) {
    const router::Method* method = trial.random.of(calls.methods());
    const bool may_be_valid = method->reads_only || trial.subject.options.call_mutating;
    const bool valid = may_be_valid && !trial.random.one_in(3);
    storm.push_back({method->full_name,
                     valid ? calls.valid(*method) : trial.random.of(no_messages()),
                     std::chrono::microseconds(trial.random.below(20'000)),
                     method->server_streaming ? static_cast<uint32_t>(trial.random.below(4)) : 1});
  }
  return storm;
}

}  // namespace

void check_storm(Trial& trial) {
  constexpr size_t kThreads = 8;
  constexpr size_t kCallsPerThread = 60;
  Calls calls(trial, false);
  if (!calls) return;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back(
        [&instance = calls.instance(), storm = storm_of(calls, trial, kCallsPerThread)] {
          for (const StormCall& each : storm) {
            if (!instance.is_clean()) return;
            instance.call(each.method, each.request, each.time, each.credit);
          }
        });
  }
  for (std::thread& thread : threads) thread.join();
  calls.end();
}

}  // namespace longshore::module_check
