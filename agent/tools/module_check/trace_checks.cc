// What a module leaves behind, and whether its functions keep to their threads.
#include <thread>

#include "tools/module_check/checks.h"
#include "tools/module_check/process_facts.h"
#include "tools/module_check/request_maker.h"
#include "tools/module_check/watched_entry.h"

namespace longshore::module_check {
namespace {

using std::chrono::milliseconds;

// Long enough for a busy machine, and far too long for whoever holds a thread of the agent.
constexpr milliseconds kBlocks{500};

// The same calls in every life, so that what one leaves can be told from what another asks for.
struct Call {
  const router::Method* method;
  std::string request;
};

std::vector<Call> some_calls(Trial& trial) {
  const RequestMaker maker(trial.subject.files);
  std::vector<Call> calls;
  for (const router::Method* method : methods_to_call(trial.subject, false)) {
    calls.push_back({method, no_messages().front()});
    if (!method->reads_only && !trial.subject.options.call_mutating) continue;
    for (int i = 0; i < 3; ++i) {
      calls.push_back({method, maker.valid(request_type(trial.subject, *method), trial.random)});
    }
  }
  return calls;
}

// False when there is no use in another life.
bool live(Trial& trial, const std::vector<Call>& calls) {
  TrialInstance instance(trial);
  if (!instance.start()) return false;
  for (const Call& each : calls) {
    if (instance.is_clean()) instance.call(each.method->full_name, each.request, milliseconds(20));
  }
  if (instance.is_clean()) instance.stop();
  instance.end();
  return !trial.findings.has_failed();
}

bool live_often(Trial& trial, const std::vector<Call>& calls, size_t times) {
  for (size_t i = 0; i < times; ++i) {
    if (!live(trial, calls)) return false;
  }
  return true;
}

void judge_blocking(Trial& trial, const std::string& function, std::chrono::nanoseconds took) {
  if (took < kBlocks) return;
  trial.findings.fail(
      function + " blocked for " +
          std::to_string(std::chrono::duration_cast<milliseconds>(took).count()) + " ms",
      "it is called as [completion] and must not block: leave the work to a thread of yours or to "
      "post");
}

}  // namespace

void check_thread_tags(Trial& trial) {
  const longshore_module_entry entry = watch(load(trial), HostAge::kSame);
  TrialInstance instance(trial, &entry);
  if (!instance.start()) return;
  for (const Call& each : some_calls(trial)) {
    if (!instance.is_clean()) break;
    forget_times();
    instance.call(each.method->full_name, each.request, milliseconds(20),
                  each.method->server_streaming ? 0 : 1);
    const LongestTimes times = longest_times();
    judge_blocking(trial, "cancel", times.cancel);
    judge_blocking(trial, "writable", times.writable);
    if (each.method->non_blocking) judge_blocking(trial, each.method->full_name, times.invoke);
  }
  if (instance.is_clean()) instance.stop();
  instance.end(milliseconds(300));
}

// What malloc keeps at hand for the next time counts as allocated, and grows until it has settled.
// A leak grows in every round.
void check_memory(Trial& trial) {
  constexpr size_t kLives = 8;  // a round
  constexpr size_t kLeastLeak = 16 * kLives;
  constexpr int kMostRounds = 30;
  constexpr int kRoundsWithoutGrowth = 3;  // one may be luck; a busy machine has few in a row
  const auto calls = some_calls(trial);
  if (!live_often(trial, calls, kLives)) return;
  size_t before = allocated_bytes();
  size_t grown = 0;
  for (int round = 0, settled = 0; round < kMostRounds; ++round) {
    if (!live_often(trial, calls, kLives)) return;
    const size_t now = allocated_bytes();
    grown = now > before ? now - before : 0;
    before = now;
    if (grown < kLeastLeak && ++settled == kRoundsWithoutGrowth) return;
  }
  trial.findings.fail(
      "about " + std::to_string(grown / kLives) + " bytes are left by each instance",
      "free in destroy what create, start and calls have allocated");
}

void check_descriptors(Trial& trial) {
  const auto calls = some_calls(trial);
  if (!live_often(trial, calls, 2)) return;
  const size_t before = count_descriptors();
  if (!live_often(trial, calls, 3)) return;
  const size_t now = count_descriptors();
  if (now <= before) return;
  trial.findings.fail(std::to_string(now - before) + " descriptors are left open by 3 instances",
                      "close in stop or destroy what was opened");
}

void check_threads(Trial& trial) {
  std::thread([] {}).join();  // a sanitizer starts a thread of its own with the first one
  const size_t before = count_threads();
  if (!live_often(trial, some_calls(trial), 3)) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (count_threads() > before && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  const size_t now = count_threads();
  if (now <= before) return;
  trial.findings.fail(std::to_string(now - before) + " threads are left running by 3 instances",
                      "end and join the module's own threads before stop is finished");
}

void check_surroundings(Trial& trial) {
  const auto before = surroundings();
  const size_t forks = count_forks();
  if (!live_often(trial, some_calls(trial), 2)) return;
  for (const auto& [name, now] : surroundings()) {
    if (before.at(name) == now) continue;
    trial.findings.fail("it changes " + name + " of the process",
                        "leave it alone: it is the agent's and the other modules' as well");
  }
  if (count_forks() > forks) {
    trial.findings.warn("it forks the process",
                        "run programs by posix_spawn: a copy of the agent holds its locks");
  }
}

}  // namespace longshore::module_check
