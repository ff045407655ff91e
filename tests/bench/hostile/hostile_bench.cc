// The times of a victim's calls beside each attack, and beside a neighbour that does nothing but
// burn as much processor time as the attack has cost attacker and agent, when it has cost that.
//
//   hostile_bench <rounds> [<part of an attack's name>]
//
// Prints "name|p50|p99|p50 beside the burning one|p99 of those|processor time per second", the
// times in milliseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/bench/hostile/usage_profile.h"
#include "tests/hostile_clients/attack.h"
#include "tests/hostile_clients/trial.h"

namespace longshore::hostile_clients {
namespace {

using std::chrono::steady_clock;

// An attack that is over at once is made again, until there are so many calls of the victim's.
constexpr size_t kMinCalls = 300;
constexpr int kMaxRounds = 20;

// Uses as much processor time as that one did, at the same times.
void burn(const std::vector<Usage>& profile, double Usage::*of) {
  const double begin = thread_seconds();
  double used = 0;
  auto next = steady_clock::now();
  for (const Usage& interval : profile) {
    used += interval.*of;
    while (thread_seconds() - begin < used) continue;
    next += std::chrono::duration_cast<steady_clock::duration>(
        std::chrono::duration<double>(interval.wall));
    std::this_thread::sleep_until(next);
  }
}

// Of an agent whose victim is alone, per call of the victim's.
double processor_seconds_of_a_call() {
  const Attack none{"nobody",
                    [](Attacker&) { std::this_thread::sleep_for(std::chrono::seconds(1)); }};
  const TrialReport report = try_attack(none);
  return report.processor_seconds /
         static_cast<double>(std::max<size_t>(report.victim.answered, 1));
}

// The same, and what it used meanwhile goes to `profile`.
Attack profiled(Attack attack, std::vector<Usage>& profile) {
  attack.run = [run = std::move(attack.run), &profile](Attacker& attacker) {
    UsageProfile usage(attacker.agent.id());
    run(attacker);
    profile = usage.end();
  };
  return attack;
}

// What an attack used, without what the agent did for the victim meanwhile.
std::vector<Usage> without_victim(std::vector<Usage> profile, const TrialReport& report,
                                  double call_seconds) {
  double wall = 0;
  for (const Usage& interval : profile) wall += interval.wall;
  const double victims = call_seconds * static_cast<double>(report.victim.answered) / wall;
  for (Usage& interval : profile) {
    interval.agent = std::max(0.0, interval.agent - victims * interval.wall);
  }
  return profile;
}

// Processors in use.
double share_of(const std::vector<Usage>& profile) {
  Usage sum;
  for (const Usage& interval : profile) {
    sum.wall += interval.wall;
    sum.attacker += interval.attacker;
    sum.agent += interval.agent;
  }
  return (sum.attacker + sum.agent) / sum.wall;
}

// As long and as busy as an attack was, and as many threads.
Attack neighbour_of(const std::vector<Usage>& profile) {
  return {"a neighbour", [=](Attacker&) {
            std::thread beside([&] { burn(profile, &Usage::agent); });
            burn(profile, &Usage::attacker);
            beside.join();
          }};
}

void add(VictimReport& sum, const VictimReport& report) {
  sum.milliseconds.insert(sum.milliseconds.end(), report.milliseconds.begin(),
                          report.milliseconds.end());
  sum.answered += report.answered;
}

void measure(const Attack& attack, int rounds, double call_seconds) {
  VictimReport attacked;
  VictimReport beside;
  double share = 0;
  int round = 0;
  for (; round < rounds || (attacked.answered < kMinCalls && round < kMaxRounds); ++round) {
    std::vector<Usage> profile;
    const TrialReport report = try_attack(profiled(attack, profile));
    profile = without_victim(std::move(profile), report, call_seconds);
    share += share_of(profile);
    add(attacked, report.victim);
    add(beside, try_attack(neighbour_of(profile)).victim);
  }
  std::printf("%s|%.3f|%.3f|%.3f|%.3f|%.2f\n", attack.name.c_str(), attacked.percentile(0.5),
              attacked.percentile(0.99), beside.percentile(0.5), beside.percentile(0.99),
              share / round);
  std::fflush(stdout);
}

}  // namespace
}  // namespace longshore::hostile_clients

int main(int argc, char** argv) {
  using namespace longshore::hostile_clients;
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  const std::string part = argc > 2 ? argv[2] : "";
  const double call_seconds = processor_seconds_of_a_call();
  for (const auto& attacks :
       {request_attacks(), answer_attacks(), http_attacks(), connection_attacks(), frame_attacks(),
        call_attacks(), waiting_call_attacks(), control_attacks()}) {
    for (const Attack& attack : attacks) {
      if (attack.name.find(part) != std::string::npos) measure(attack, rounds, call_seconds);
    }
  }
  return 0;
}
