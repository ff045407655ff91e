// Making and ending the instance, and what is seen of it.
#include "session.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

namespace longshore::testing {

namespace {

// What is wrong with an entry; empty when nothing is.
std::string fault_of(const longshore_module_entry& entry) {
  if (entry.magic != LONGSHORE_MODULE_MAGIC) return "its magic is wrong";
  if (entry.struct_size < sizeof(longshore_module_entry)) return "its struct_size is too small";
  if (entry.abi_major != LONGSHORE_ABI_MAJOR) return "it is for another major version of the ABI";
  if (entry.abi_minor_needed > LONGSHORE_ABI_MINOR) return "it needs a newer version of the ABI";
  if (!entry.name || !entry.version || !entry.vendor) return "it lacks name, version or vendor";
  if (!entry.create) return "it has no create";
  return {};
}

}  // namespace

Session::Session(Nanoseconds patience) : patience_(patience), table_(make_host_table(*this)) {}

void Session::create(const longshore_module_entry& entry) {
  const std::string fault = fault_of(entry);
  if (!fault.empty()) return violated("the module's entry is not valid: " + fault);
  Result<Description> description = Description::read(entry);
  if (!description) return violated(description.error().message());
  description_ = *std::move(description);
  const longshore_instance* functions = nullptr;
  longshore_result answer = LONGSHORE_REFUSED;
  run_function("create", [&] { answer = entry.create(&table_, &instance_, &functions); });
  if (answer != LONGSHORE_OK) return violated("the module refused to create an instance");
  if (!functions) return violated("create gave no functions");
  longshore_instance copy{};
  std::memcpy(&copy, functions, std::min<size_t>(functions->struct_size, sizeof(copy)));
  if (!copy.start || !copy.invoke || !copy.stop || !copy.destroy) {
    return violated("the instance lacks start, invoke, stop or destroy");
  }
  functions_ = copy;
  const std::lock_guard lock(mutex_);
  state_ = State::kMade;
}

Session::State Session::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

Result<std::string> Session::control(const std::string& name, std::string settings,
                                     std::string handover) {
  CallOptions options;
  options.caller = "agent";
  const auto call = add_call(name, true, std::move(settings), options);
  BorrowedTexts& texts = *call->borrowed;
  texts.handover = std::move(handover);
  run_function(name.c_str(), [&] {
    if (name == "stop") return functions_.stop(instance_, call->handle);
    functions_.start(instance_, call->handle, to_bytes(texts.request), to_bytes(texts.handover));
  });
  Result<std::vector<std::string>> messages = wait_for_all(call);
  if (!messages) return std::move(messages).error();
  std::string joined;
  for (const std::string& each : *messages) joined += each;
  return joined;
}

Result<void> Session::start(std::string settings, std::string handover) {
  const Result<std::string> started = control("start", std::move(settings), std::move(handover));
  if (!started) {
    end_work();
    return started.error();
  }
  const std::lock_guard lock(mutex_);
  state_ = State::kServing;
  return {};
}

Result<std::string> Session::stop() {
  {
    const std::lock_guard lock(mutex_);
    state_ = State::kStopping;
  }
  Result<std::string> handover = control("stop", {}, {});
  end_work();
  return handover;
}

void Session::end_work() {
  std::vector<std::shared_ptr<CallRecord>> calls;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, call] : calls_) calls.push_back(call);
  }
  for (const auto& call : calls) cancel_call(call);
  if (!calls.empty()) advance(std::chrono::seconds(1));

  std::multimap<Nanoseconds, PostedFunction> posts;
  std::vector<std::shared_ptr<Invocation>> invocations;
  {
    Lock lock(mutex_);
    await(lock, [&] { return calls_.empty() && running_handlers_ == 0; });
    for (const auto& [handle, call] : calls_) {
      note("call " + std::to_string(handle) + " (" + call->method + ") was never finished");
    }
    if (running_handlers_ != 0) note("a handler did not return after its call was cancelled");
    state_ = State::kStopped;
    posts = std::exchange(posts_, {});
    for (const auto& [handle, invocation] : invocations_) invocations.push_back(invocation);
  }
  for (const auto& each : posts) run_posted(each.second, LONGSHORE_CANCELLED);
  for (const auto& invocation : invocations) {
    end_invocation(invocation, {StatusCode::kCancelled, "the instance is being stopped", {}});
  }
}

void Session::end() {
  const State before = state();
  if (before == State::kServing) static_cast<void>(stop());
  if (before == State::kMade) end_work();
  if (before != State::kDestroyed) destroy();
}

void Session::destroy() {
  bool abandoned = false;
  {
    const std::lock_guard lock(mutex_);
    abandoned = running_handlers_ != 0;
  }
  // A thread that hangs keeps the session, and the module what it is using.
  for (std::thread& thread : threads_) abandoned ? thread.detach() : thread.join();
  threads_.clear();
  if (functions_.destroy && !abandoned) {
    run_function("destroy", [&] { functions_.destroy(instance_); });
  }
  const std::lock_guard lock(mutex_);
  state_ = State::kDestroyed;
}

bool Session::admits(const char* function) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kDestroyed) {
    note(std::string(function) + " was called after destroy");
    return false;
  }
  if (state_ == State::kMaking && std::string_view(function) != "log") {
    note(std::string("create may only log, but called ") + function);
    return false;
  }
  return true;
}

void Session::run_function(const char* name, const std::function<void()>& function) {
  try {
    function();
  } catch (const std::exception& exception) {
    violated(std::string("an exception left ") + name + ": " + exception.what());
  } catch (...) {
    violated(std::string("an exception left ") + name);
  }
}

void Session::write_log(longshore_log_level level, longshore_call handle, std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto call = find_call(handle);
  log_.push_back({level, std::string(text), call ? call->method : std::string()});
}

std::vector<LogLine> Session::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

void Session::note(std::string sentence) { violations_.push_back(std::move(sentence)); }

void Session::violated(std::string sentence) {
  const std::lock_guard lock(mutex_);
  note(std::move(sentence));
}

std::vector<std::string> Session::violations() const {
  const std::lock_guard lock(mutex_);
  violations_read_ = violations_.size();
  return violations_;
}

bool Session::has_unread_violations() const {
  const std::lock_guard lock(mutex_);
  return violations_read_ < violations_.size();
}

}  // namespace longshore::testing
