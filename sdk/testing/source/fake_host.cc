#include "longshore/testing/fake_host.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "session.h"

namespace longshore::testing {

FakeHost::FakeHost(const longshore_module_entry& entry, std::chrono::nanoseconds patience)
    : session_(std::make_shared<Session>(patience)) {
  session_->create(entry);
}

FakeHost::~FakeHost() {
  session_->end();
  if (!session_->has_unread_violations()) return;
  for (const std::string& each : session_->violations()) {
    std::fprintf(stderr, "The module broke the contract: %s\n", each.c_str());
  }
  std::abort();
}

Result<void> FakeHost::start(const StartOptions& options) {
  const auto settings = session_->description().settings(options);
  if (session_->state() == Session::State::kMade && !settings) return settings.error();
  return start_bytes(settings ? settings->SerializeAsString() : "", options.handover);
}

Result<void> FakeHost::start_bytes(std::string settings, std::string handover) {
  if (session_->state() != Session::State::kMade) {
    return Error(StatusCode::kFailedPrecondition, "start the module")
        .because("there is no instance that was not started");
  }
  return session_->start(std::move(settings), std::move(handover));
}

PendingCall FakeHost::begin_bytes(std::string_view method, std::string request,
                                  const CallOptions& options) {
  auto call = session_->make_call(method, std::move(request), options);
  session_->run_handler(call);
  return {session_, std::move(call)};
}

PendingCall FakeHost::begin_bytes_on_thread(std::string_view method, std::string request,
                                            const CallOptions& options) {
  auto call = session_->make_call(method, std::move(request), options);
  session_->run_handler_on_thread(call);
  return {session_, std::move(call)};
}

void FakeHost::response_bytes(std::string_view method,
                              std::function<Answer(std::string_view)> function) {
  session_->answer(method, std::move(function));
}

void FakeHost::hold(std::string_view method) { session_->hold(method); }

std::vector<std::string> FakeHost::invocations_of(std::string_view method) const {
  return session_->invocations_of(method);
}

bool FakeHost::await_invocations(std::string_view method, size_t count) const {
  return session_->await_invocations(method, count);
}

void FakeHost::advance(std::chrono::nanoseconds time) { session_->advance(time); }

size_t FakeHost::run_posts() { return session_->run_posts(); }

Result<std::string> FakeHost::stop() {
  if (session_->state() != Session::State::kServing) {
    return Error(StatusCode::kFailedPrecondition, "stop the module").because("it does not serve");
  }
  return session_->stop();
}

std::vector<std::string> FakeHost::end() {
  session_->end();
  return session_->violations();
}

std::string FakeHost::degraded() const { return session_->degraded(); }

void FakeHost::fill_bulkhead(std::string_view key) { session_->fill_bulkhead(key); }

std::vector<std::string> FakeHost::bulkheads() const { return session_->bulkheads(); }

std::vector<LogLine> FakeHost::log() const { return session_->log(); }

bool FakeHost::logged(std::string_view text) const {
  return std::ranges::any_of(
      log(), [&](const LogLine& line) { return line.text.find(text) != std::string::npos; });
}

std::vector<std::string> FakeHost::violations() const { return session_->violations(); }

// ---- PendingCall ---------------------------------------------------------------------------

bool PendingCall::finished() const { return session_->is_finished(*record_); }

void PendingCall::cancel() { session_->cancel_call(record_); }

void PendingCall::grant(uint32_t messages) { session_->grant_call(record_, messages); }

std::optional<std::string> PendingCall::next_bytes() { return session_->next_message(record_); }

Result<std::vector<std::string>> PendingCall::wait_for_all_bytes() {
  return session_->wait_for_all(record_);
}

void PendingCall::report_unreadable() {
  session_->violated("an answer of " + record_->method + " is not a valid message");
}

}  // namespace longshore::testing
