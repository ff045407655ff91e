// Each attack of the table against a real agent: what it makes the agent use is bounded and goes
// back, and a victim on another socket and the control socket is answered all the time.
//
// A row is printed for each. One attack: hostile_clients_test "[answers]" -c "reflection, unread".
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <tuple>
#include <utility>

#include "tests/hostile_clients/trial.h"
#include "tests/support/process_figures.h"

using namespace longshore::hostile_clients;

namespace {

constexpr size_t kMaxGrowthBytes = 64u << 20;
// "echo" keeps 64 KiB for each of 1,024 streams, and as much of each may be on its way to the
// agent.
constexpr size_t kMaxGrowthOfModules = 192u << 20;
constexpr double kBackAfterSeconds = 10;
constexpr size_t kMaxLogBytes = 256u << 10;

void check_all(std::vector<Attack> attacks) {
  // Where agents are shared, those come together who want the same one.
  if (kAgentsAreShared) {
    std::ranges::stable_sort(attacks, {}, [](const Attack& attack) {
      return std::tie(attack.configuration, attack.echo_module);
    });
  }
  for (const Attack& attack : attacks) {
    DYNAMIC_SECTION(attack.name) {
      if (const std::string need = lacks(attack.needs); !need.empty()) {
        std::printf("%-35s | not here, where there are not: %s\n", attack.name.c_str(),
                    need.c_str());
        return;
      }
      const TrialReport report = try_attack(attack);
      std::printf("%s", row_of(attack, report).c_str());
      std::fflush(stdout);
      for (const std::string& fault : report.faults) FAIL_CHECK(fault);
      INFO(report.victim.first_failure);
      CHECK(report.victim.failed == 0);
      CHECK(report.victim.answered > 0);
      CHECK(report.log_bytes <= kMaxLogBytes);
      CHECK(report.exit_status == 0);
      if (longshore::test::kMemoryTellsLeaks) {
        CHECK(report.growth_bytes <= kMaxGrowthBytes);
        // A process that is replaced still has its own, while the next one has begun.
        CHECK(report.growth_of_modules_bytes <= (attack.is_reloaded ? 2 : 1) * kMaxGrowthOfModules);
        if (attack.connection_bytes > 0) {
          CAPTURE(report.connections);
          CHECK(report.growth_bytes <= report.connections * attack.connection_bytes);
        }
      }
      if (kMemoryComesBack) {
        CHECK(report.left_bytes <= may_be_left(attack));
        CHECK(report.left_in_modules_bytes <= may_be_left(attack));
        CHECK(report.back_seconds <= kBackAfterSeconds);
      }
    }
  }
}

}  // namespace

TEST_CASE("Requests that are not ended or not waited for", "[requests]") {
  check_all(request_attacks());
}

TEST_CASE("Answers that nobody reads", "[answers]") { check_all(answer_attacks()); }

TEST_CASE("Clients that use HTTP as they should not", "[http]") { check_all(http_attacks()); }

TEST_CASE("Connections that come and go or are held, and calls that fail", "[connections]") {
  check_all(connection_attacks());
}

TEST_CASE("Frames that cost only the server", "[frames]") { check_all(frame_attacks()); }

TEST_CASE("Calls that cost only the server", "[calls]") {
  check_all(call_attacks());
  check_all(waiting_call_attacks());
}

TEST_CASE("Frames that cost only the server, to the control socket", "[control]") {
  check_all(control_attacks());
}

TEST_CASE("Attacks on a module that reloads replace meanwhile", "[reloads]") {
  check_all(reload_attacks());
}
