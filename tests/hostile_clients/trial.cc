#include "tests/hostile_clients/trial.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "tests/hostile_clients/attacked_agent.h"
#include "tests/hostile_clients/reloads.h"
#include "tests/hostile_clients/told_memory.h"
#include "tests/support/eventually.h"

namespace longshore::hostile_clients {
namespace {

using std::chrono::steady_clock;

// More than there is, so that it is told by how much it was late.
constexpr std::chrono::seconds kTimeToGiveBack{30};
constexpr int kReloads = 10;
// Each thread of the agent's has some; a few begin with the calls that need them.
constexpr size_t kHandlesOfThreads = 32;
constexpr double kMebibyte = 1u << 20;

size_t more(size_t now, size_t start) { return now > start ? now - start : 0; }

void await_memory_back(ProcessId agent, const HeldBytes& start, size_t most, TrialReport& report) {
  if (!kMemoryComesBack) return;
  const auto begin = steady_clock::now();
  do {
    const HeldBytes now = held_by(agent);
    report.left_bytes = more(now.agent, start.agent);
    report.left_in_modules_bytes = more(now.modules, start.modules);
    report.back_seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
    if (std::max(report.left_bytes, report.left_in_modules_bytes) <= most) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  } while (steady_clock::now() < begin + kTimeToGiveBack);
}

using Told = std::map<std::string, ToldMemory>;

bool has_refused(const AttackedAgent& agent, const Told& before) {
  return std::ranges::all_of(told_memory(agent), [&](const auto& told) {
    return told.second.refusals > before.at(told.first).refusals;
  });
}

// One that has to be told goes on until the agent has refused something. Once is enough but on a
// busy machine, which lets it send less in the time that it takes.
void run(const Attack& attack, Attacker& attacker, const Told& before) {
  test::eventually([&] {
    attack.run(attacker);
    return !attack.is_told || has_refused(attacker.agent, before);
  });
}

void expect_told(Attacker& attacker, const Told& before) {
  for (const auto& [place, memory] : told_memory(attacker.agent)) {
    attacker.expect(memory.used > 0, place + ": what is held for the clients is not told");
    attacker.expect(memory.refusals > before.at(place).refusals,
                    place + ": what was refused is not told");
  }
}

// Nothing is held any more for those who have gone; that they were refused more is not forgotten.
void expect_nothing_held(const AttackedAgent& agent, const Told& before, bool is_told,
                         std::vector<std::string>& faults) {
  const auto still_told = [&]() -> std::string {
    std::string places;
    try {
      for (const auto& [place, memory] : told_memory(agent)) {
        if (memory.used > 0) places += place + " tells " + std::to_string(memory.used) + " bytes; ";
        if (is_told && memory.refusals <= before.at(place).refusals) {
          places += place + " has forgotten its refusals; ";
        }
      }
    } catch (const std::exception& error) {
      return error.what();  // who asks may be refused too, as in `expect_service`
    }
    return places;
  };
  if (test::eventually([&] { return still_told().empty(); })) return;
  faults.push_back("after the last client: " + still_told());
}

void expect_handles_closed(const AttackedAgent& agent, size_t start,
                           std::vector<std::string>& faults) {
  const auto left = [&] { return more(open_handles(agent.id()), start); };
  if (test::eventually([&] { return left() <= kHandlesOfThreads; })) return;
  faults.push_back("after the last client " + std::to_string(left()) + " handles more are open");
}

// Whoever comes afterwards is served as before. But not before the agent has acted on what the
// attackers had sent when they left, which nothing has waited for where memory tells nothing: until
// then their calls have used up the memory of their user, and a user's next connection is refused.
void expect_service(const AttackedAgent& agent, std::vector<std::string>& faults) {
  VictimReport after;
  const auto is_served = [&] {
    Victim next(agent);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    after = next.end();
    return after.failed == 0 && after.answered > 0;
  };
  if (test::eventually(is_served)) return;
  faults.push_back("a client after the attack is not served: " + after.first_failure);
}

// Where agents are shared, the one that the last attack was on.
std::unique_ptr<AttackedAgent>& kept_agent() {
  static std::unique_ptr<AttackedAgent> agent;
  return agent;
}

std::unique_ptr<AttackedAgent> agent_for(const Attack& attack) {
  auto agent = std::exchange(kept_agent(), nullptr);
  if (agent && agent->is_configured(attack.configuration, attack.echo_module)) return agent;
  agent.reset();
  return std::make_unique<AttackedAgent>(attack.configuration, attack.echo_module);
}

// Of an agent that goes on: 0.
int ended(std::unique_ptr<AttackedAgent> agent, bool is_as_before) {
  if (!kAgentsAreShared || !is_as_before || !agent->is_running()) return agent->stop();
  kept_agent() = std::move(agent);
  return 0;
}

}  // namespace

std::string head_of_rows() {
  return "attack                              |  conns  sent KiB | most MiB modules left KiB "
         "modules back s  CPU s log KiB | victim OK failed  p50 ms  p99 ms\n";
}

std::string row_of(const Attack& attack, const TrialReport& report) {
  char text[256];
  std::snprintf(
      text, sizeof(text),
      "%-35s | %6zu %9zu | %8.1f %7.1f %8zu %7zu %6.1f %6.2f %7zu | %9zu %6zu %7.2f %7.2f\n",
      attack.name.c_str(), report.traffic.connections, report.traffic.sent / 1024,
      static_cast<double>(report.growth_bytes) / kMebibyte,
      static_cast<double>(report.growth_of_modules_bytes) / kMebibyte, report.left_bytes / 1024,
      report.left_in_modules_bytes / 1024, report.back_seconds, report.processor_seconds,
      report.log_bytes / 1024, report.victim.answered, report.victim.failed,
      report.victim.percentile(0.5), report.victim.percentile(0.99));
  return text;
}

TrialReport try_attack(const Attack& attack) {
  TrialReport report;
  std::unique_ptr<AttackedAgent> attacked = agent_for(attack);
  AttackedAgent& agent = *attacked;
  const size_t log_start = agent.log_bytes();
  const size_t start_handles = open_handles(agent.id());
  const Told told_before = told_memory(agent);
  AgentWatch watch(agent.id());
  // Whoever attacks the control socket has the same user's share of it as who asks there.
  Victim victim(agent, !attack.on_control);
  std::optional<Reloads> reloads;
  {
    Attacker attacker(agent, watch);
    attacker.on_control = attack.on_control;
    if (attack.is_reloaded) reloads.emplace(agent);
    run(attack, attacker, told_before);
    if (reloads) attacker.expect(reloads->end_after(kReloads), "the agent does not reload");
    report.traffic = attacker.traffic;
    report.connections = attacker.clients.size();
    if (attack.is_told) expect_told(attacker, told_before);
    report.faults = attacker.faults;
  }
  report.victim = victim.end();
  report.growth_bytes = watch.growth_bytes();
  report.growth_of_modules_bytes = watch.growth_of_modules_bytes();
  report.processor_seconds = watch.processor_seconds_used();
  report.log_bytes = agent.log_bytes() - log_start;
  await_memory_back(agent.id(), watch.start(), may_be_left(attack), report);
  expect_nothing_held(agent, told_before, attack.is_told, report.faults);
  expect_handles_closed(agent, start_handles, report.faults);
  if (reloads && !reloads->is_last_served()) {
    report.faults.push_back("the last reload has changed nothing:\n" + agent.log());
  }
  expect_service(agent, report.faults);
  const std::string log = agent.log().substr(log_start);
  report.exit_status = ended(std::move(attacked), report.faults.empty() && !attack.is_reloaded);
  if (report.exit_status != 0) report.faults.push_back("the agent ended badly:\n" + log);
  return report;
}

}  // namespace longshore::hostile_clients
