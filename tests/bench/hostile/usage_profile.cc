#include "tests/bench/hostile/usage_profile.h"

#include <pthread.h>

#include <chrono>
#include <system_error>

namespace longshore::hostile_clients {
namespace {

constexpr std::chrono::milliseconds kInterval{5};

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

}  // namespace

double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

UsageProfile::UsageProfile(pid_t agent) {
  check(clock_getcpuclockid(agent, &agent_), "the agent's processor time");
  check(pthread_getcpuclockid(pthread_self(), &attacker_), "the attacker's processor time");
  thread_ = std::thread([this] { look_until_told(); });
}

UsageProfile::~UsageProfile() { end(); }

std::vector<Usage> UsageProfile::end() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
  return intervals_;
}

void UsageProfile::look_until_told() {
  const auto look = [this] {
    return Usage{seconds_of(CLOCK_MONOTONIC), seconds_of(attacker_), seconds_of(agent_)};
  };
  Usage before = look();
  do {
    std::this_thread::sleep_for(kInterval);
    const Usage now = look();
    intervals_.push_back(
        {now.wall - before.wall, now.attacker - before.attacker, now.agent - before.agent});
    before = now;
  } while (!ends_);
}

}  // namespace longshore::hostile_clients
