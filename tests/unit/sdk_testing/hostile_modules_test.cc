// The modules of tests/hostile, which the agent's loader has to survive: the fake host answers them
// as the agent does, and says what they did.
#include <algorithm>
#include <catch2/catch.hpp>

#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"

namespace longshore::testing {
namespace {

constexpr std::chrono::milliseconds kPatience{50};  // for those that never answer

struct Life {
  std::string answer;  // or the error
  std::vector<std::string> violations;
};

Life life_of(const std::string& module) {
  const ModuleFile file(test::hostile_module(module));
  FakeHost host(file.entry(), kPatience);
  Life life;
  if (const auto started = host.start(); !started) life.answer = started.error().message();
  const auto answer = host.begin_bytes("hostile.v1.Hostile/Do", "Q").wait_for_all_bytes();
  if (life.answer.empty()) {
    life.answer = !answer ? answer.error().message() : answer->empty() ? "" : answer->front();
  }
  life.violations = host.end();
  return life;
}

TEST_CASE("hostile modules are answered as by the agent, and found") {
  const auto [module, answer, violation] = GENERATE(table<std::string, std::string, std::string>({
      {"finish_twice", "first", "finish was given call 2"},
      {"second_answer", "first", "a second message was sent for hostile.v1.Hostile/Do"},
      {"no_answer", "", "without an answer"},
      {"null_data", "7 of 7", "send was given bytes at no address"},
      {"unknown_code", "out of this world", "with the code 17"},
      {"stale_handles", "30 of 30", "which does not exist"},
      {"never_finishes", "", "was never finished"},
      {"create_refuses", "", "the module refused to create an instance"},
      {"null_functions", "", "lacks start, invoke, stop or destroy"},
      {"short_table", "", "lacks start, invoke, stop or destroy"},
      {"wrong_magic", "", "its magic is wrong"},
      {"wrong_major", "", "another major version"},
      {"newer_minor", "", "needs a newer version"},
  }));
  CAPTURE(module);
  const Life life = life_of(module);
  CAPTURE(life.violations);
  CHECK_THAT(life.answer, Catch::Contains(answer));
  CHECK(std::any_of(life.violations.begin(), life.violations.end(),
                    [&wanted = violation](const std::string& each) {
                      return each.find(wanted) != std::string::npos;
                    }));
}

TEST_CASE("hostile modules that keep the contract are not found") {
  const auto [module, answer] = GENERATE(table<std::string, std::string>({
      {"behaves", "well"},
      {"longer_struct", "well"},
      {"tells_caller", "uid:0 for uid:0"},
      {"hands_over", "got: "},
      {"start_fails", ""},
  }));
  CAPTURE(module);
  const Life life = life_of(module);
  CHECK(life.violations == std::vector<std::string>());
  CHECK_THAT(life.answer, Catch::Contains(answer));
}

}  // namespace
}  // namespace longshore::testing
