#include "tools/module_check/trial_instance.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include "longshore/testing/module_file.hpp"
#include "text/file_path.h"
#include "text/hexadecimal.h"

namespace longshore::module_check {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kTick{1};

}  // namespace

const longshore_module_entry& load(Trial& trial) {
  static const longshore_module_entry* const entry = [&] {
    trial.steps.begin("loading the file");
    // A name without a folder would be looked for elsewhere.
    const auto path = std::filesystem::absolute(text::file_path(trial.subject.options.file));
    return &testing::ModuleFile(path.string()).entry();
  }();
  return *entry;
}

std::string description_of_call(const std::string& method, const std::string& request) {
  constexpr size_t kShown = 64;
  std::string text =
      "calling " + method + " with " +
      text::hexadecimal(std::as_bytes(std::span(request)).first(std::min(request.size(), kShown)));
  if (request.empty()) text += "nothing";
  if (request.size() > kShown) text += "... (" + std::to_string(request.size()) + " bytes)";
  return text;
}

TrialInstance::TrialInstance(Trial& trial, const longshore_module_entry* entry) : trial_(trial) {
  const longshore_module_entry& loaded = load(trial);
  trial_.steps.begin("creating an instance");
  host_ = std::make_unique<testing::FakeHost>(entry ? *entry : loaded,
                                              trial_.subject.options.time_limit / 5);
  clock_ = std::thread([this] { keep_time(); });
}

TrialInstance::~TrialInstance() { end(); }

// The host's clock stands still by itself.
void TrialInstance::keep_time() {
  for (auto last = Clock::now(); !is_over_;) {
    std::this_thread::sleep_for(kTick);
    const auto now = Clock::now();
    host_->advance(now - last);
    last = now;
  }
}

void TrialInstance::end_time() {
  is_over_ = true;
  if (clock_.joinable()) clock_.join();
}

Result<void> TrialInstance::try_start(const std::string& handover) {
  testing::StartOptions options = trial_.subject.start;
  options.handover = handover;
  return host_->start(options);
}

bool TrialInstance::start(const std::string& handover) {
  trial_.steps.begin("starting the instance");
  const Result<void> started = try_start(handover);
  if (started) return true;
  trial_.findings.does_not_serve();
  if (host_->violations().empty()) {
    trial_.findings.fail("it does not start: " + started.error().message(),
                         "give it settings with which it can start here, by --settings KEY=VALUE");
  }
  return false;
}

Result<void> TrialInstance::start_bytes(std::string settings) {
  return host_->start_bytes(std::move(settings));
}

Answer TrialInstance::call(const std::string& method, const std::string& request,
                           std::chrono::nanoseconds time, uint32_t credit, bool described_only) {
  trial_.steps.begin(description_of_call(method, request));
  testing::CallOptions options;
  options.timeout = time;
  options.credit = credit;
  options.described_only = described_only;
  const auto begun = Clock::now();
  testing::PendingCall call = host_->begin_bytes(method, request, options);
  auto messages = call.wait_for_all_bytes();
  Answer answer;
  answer.took = Clock::now() - begun;
  answer.is_finished = call.finished();
  answer.code = messages ? StatusCode::kOk : messages.error().code();
  if (messages) {
    answer.messages = *std::move(messages);
  } else {
    answer.text = messages.error().message();
  }
  const std::lock_guard lock(mutex_);
  if (culprit_.empty() && !is_clean()) culprit_ = description_of_call(method, request);
  return answer;
}

std::string TrialInstance::stop() {
  trial_.steps.begin("stopping the instance");
  const auto handover = host_->stop();
  if (handover) return *handover;
  trial_.findings.warn("stop ended with " + status_code_name(handover.error().code()) + ": " +
                           handover.error().message(),
                       "let stop succeed: its error helps nobody, and the handover is lost");
  return {};
}

void TrialInstance::end(std::chrono::milliseconds late) {
  if (!host_) return;
  trial_.steps.begin("stopping the instance");
  static_cast<void>(host_->stop());  // an error: it does not serve
  end_time();
  trial_.steps.begin("destroying the instance");
  static_cast<void>(host_->end());
  if (late.count() > 0) {
    trial_.steps.begin("waiting for what it does after it was destroyed");
    std::this_thread::sleep_for(late);
  }
  for (const std::string& each : host_->violations()) {
    trial_.findings.violation(culprit_.empty() ? each : each + "; seen " + culprit_);
  }
  host_.reset();
}

}  // namespace longshore::module_check
