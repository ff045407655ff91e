// The flags of leader election, and the table that becomes of them.
#include "sidecars/leader_election_flags.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "sidecars/command_line.h"
#include "tests/unit/sidecars/made_up_controllers.h"

namespace longshore::sidecars {
namespace {

// Of an attacher, which has a lease, and a livenessprobe, which has none.
Result<CommandLine> elected(std::vector<std::string> words) {
  words.insert(words.begin(), "--controllers=attacher,livenessprobe");
  return parse_command_line(words, test::made_up_controllers());
}

// Its table of leader election alone; empty: it has none.
std::string election_of(const std::vector<std::string>& words) {
  const auto line = elected(words);
  if (!line) return line.error().message();
  CHECK(line->warnings.empty());
  const size_t begin = line->configuration.find("[controllers.attacher.leader_election]\n");
  if (begin == std::string::npos) return {};
  return line->configuration.substr(begin, line->configuration.find("\n\n", begin) - begin);
}

TEST_CASE("by --leader-election a controller that has a lease runs by it") {
  CHECK(election_of({}).empty());
  CHECK(election_of({"--leader-election=false"}).empty());
  CHECK(election_of({"--leader-election"}) ==
        "[controllers.attacher.leader_election]\nlease = \"attacher-leader-{driver}\"");
  CHECK(election_of({"--leader-election", "--leader-election-namespace=kube-system",
                     "--leader-election-lease-duration=1m", "--leader-election-renew-deadline=40s",
                     "--leader-election-retry-period=8s",
                     "--leader-election-labels=a:b,c:", "--leader-election-labels=d/e:f",
                     "--feature-gates=ReleaseLeaderElectionOnExit=true",
                     "--feature-gates=ReleaseLeaderElectionOnExit=false"}) ==
        R"([controllers.attacher.leader_election]
lease = "attacher-leader-{driver}"
namespace = "kube-system"
lease_duration = "1m"
renew_deadline = "40s"
retry_period = "8s"
labels = ["a=b", "c=", "d/e=f"]
release_on_exit = false)");
  CHECK(election_of({"--leader-election", "--feature-gates=ReleaseLeaderElectionOnExit=true"}) ==
        election_of({"--leader-election"}));
  const auto line = elected(
      {"--leader-election", "--feature-gates=Topology=true,ReleaseLeaderElectionOnExit=false"});
  REQUIRE(line);
  CHECK_THAT(line->configuration, Catch::Contains("release_on_exit = false"));
  CHECK(line->warnings ==
        std::vector<std::string>{"the flag --feature-gates does nothing: no enabled controller has "
                                 "such a gate"});
}

TEST_CASE("flags with which nobody could lead are refused in their own words") {
  const auto [flag, text] = GENERATE(table<std::string, std::string>({
      {"--leader-election=perhaps",
       R"(the flag "--leader-election": "perhaps" is neither true nor false)"},
      {"--leader-election-namespace=a/b", R"("a/b" is no name of a namespace)"},
      {"--leader-election-lease-duration=soon",
       R"(the flag "--leader-election-lease-duration": "soon" is no duration)"},
      {"--leader-election-lease-duration=15500ms", "it must be whole seconds"},
      {"--leader-election-lease-duration=10s",
       "the flag \"--leader-election-renew-deadline\": 10s is not shorter than "
       "--leader-election-lease-duration, 10s"},
      {"--leader-election-renew-deadline=0", R"("0" is not between 1s and 1h)"},
      {"--leader-election-retry-period=9s",
       "--leader-election-renew-deadline, 10s, must be more than 1.2 times 9s"},
      {"--leader-election-labels=a:b,c", R"("c" is no label; write it as name:value)"},
      {"--leader-election-labels=a:b:c", R"("a:b:c" is no label)"},
      {"--leader-election-labels=a=b:c", R"("a=b:c" is no label)"},
      {"--feature-gates=ReleaseLeaderElectionOnExit",
       R"(the flag "--feature-gates": "" is neither true nor false)"},
  }));
  CAPTURE(flag);
  const auto line = elected({flag});
  REQUIRE_FALSE(line);
  CHECK(line.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(line.error().message(), Catch::Contains(text));
}

}  // namespace
}  // namespace longshore::sidecars
