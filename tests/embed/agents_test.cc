// Embedded agents: made, refused, changed, ended, side by side; and the bare C functions.
#include <catch2/catch.hpp>
#include <condition_variable>
#include <cstring>
#include <future>
#include <mutex>

#include "tests/embed/embedded.h"

namespace longshore::test {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;

std::string greeting_of(const Embedded& embedded) {
  const auto seen =
      embedded.echo().call<echo::DescribeResponse>("Describe", echo::DescribeRequest());
  return seen ? seen->greeting() : seen.error().message();
}

TEST_CASE("agents side by side do not meet", "[embed]") {
  Embedded one("[modules.echo.settings]\ngreeting = \"one\"\n");
  Embedded two("[modules.echo.settings]\ngreeting = \"two\"\n");
  CHECK(greeting_of(one) == "one");
  CHECK(greeting_of(two) == "two");
}

TEST_CASE("an agent in somebody's program starts no processes and says so", "[embed]") {
  const Embedded embedded("[modules.echo]\nisolation = \"process\"\n");
  const std::string why = greeting_of(embedded);
  CHECK_THAT(why, Contains("the agent inside another program starts none"));
  CHECK_THAT(why, Contains("isolation = \"in-process\""));
}

TEST_CASE("a faulty configuration makes no agent and tells every finding", "[embed]") {
  TemporaryDirectory directory;
  const auto agent = EmbeddedAgent::from_text(
      embedded_toml(directory, "[modules.echo]\nmax_concurrent_cals = 3\nenabled = 1\n"));
  REQUIRE_FALSE(agent);
  CHECK(agent.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(agent.error().message(), Contains("toml_text:6:1: "));
  CHECK_THAT(agent.error().message(), Contains("max_concurrent_calls"));
  CHECK_THAT(agent.error().message(), Contains("toml_text:7:11: "));

  const auto nowhere = EmbeddedAgent::from_file(directory / "none.toml");
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().code() == StatusCode::kNotFound);
  CHECK_THAT(nowhere.error().message(), Contains("none.toml"));
}

TEST_CASE("an agent is made from a file and follows it", "[embed]") {
  TemporaryDirectory directory;
  const std::string file = directory / "agent.toml";
  const auto write = [&](const std::string& greeting) {
    write_file(file, embedded_toml(directory,
                                   "[modules.echo.settings]\ngreeting = \"" + greeting + "\"\n"));
  };
  write("before");
  auto agent = EmbeddedAgent::from_file(file);
  REQUIRE(agent);
  const auto greeting = [&] {
    return agent->group("longshore.echo.v1.Echo")
        .call<echo::DescribeResponse>("Describe", echo::DescribeRequest())
        ->greeting();
  };
  CHECK(greeting() == "before");
  write("after");
  CHECK(agent->reload_file());
  CHECK(greeting() == "after");
}

TEST_CASE("a reload that fails changes nothing", "[embed]") {
  Embedded embedded("[modules.echo.settings]\ngreeting = \"old\"\n");
  const auto faulty = embedded.agent().reload("[agent\n");
  REQUIRE_FALSE(faulty);
  CHECK(faulty.error().code() == StatusCode::kInvalidArgument);
  const auto restart = embedded.agent().reload("[agent]\nstate_dir = \"/somewhere/else\"\n");
  REQUIRE_FALSE(restart);
  CHECK_THAT(restart.error().message(), Contains("agent.state_dir"));
  CHECK_FALSE(embedded.agent().reload_file());  // it was not made from one
  CHECK(greeting_of(embedded) == "old");
  CHECK(embedded.agent().reload(embedded.toml("[modules.echo.settings]\ngreeting = \"new\"\n")));
  CHECK(greeting_of(embedded) == "new");
}

TEST_CASE("a module that is not there is an error at the start", "[embed]") {
  TemporaryDirectory directory;
  const auto agent = EmbeddedAgent::from_text(embedded_toml(directory, "[modules.nosuch]\n"));
  REQUIRE_FALSE(agent);
  CHECK_THAT(agent.error().message(), Contains("longshore-nosuch"));
}

TEST_CASE("an agent without modules serves nothing, and says so", "[embed]") {
  const TemporaryDirectory directory;
  auto agent = EmbeddedAgent::from_text("[agent]\nstate_dir = \"" + (directory / "state") + "\"\n");
  REQUIRE(agent);
  const auto answer =
      agent->group("longshore.echo.v1.Echo").call<echo::SayResponse>("Say", say("x"));
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code() == StatusCode::kUnimplemented);
}

TEST_CASE("log lines go to the program's function, and only from the level on", "[embed]") {
  std::mutex mutex;
  std::vector<std::pair<int, std::string>> lines;
  AgentOptions options;
  options.log = [&](int level, std::string_view line) {
    const std::lock_guard lock(mutex);
    lines.emplace_back(level, line);
  };
  {
    Embedded embedded("[agent.log]\nlevel = \"info\"\n[modules.echo]\n", std::move(options));
    REQUIRE(embedded.echo().call<echo::SayResponse>("Say", say("x")));
  }
  REQUIRE_FALSE(lines.empty());
  bool serves = false;
  for (const auto& [level, line] : lines) {
    CHECK(level >= 2);
    CHECK(line.find('\n') == std::string::npos);
    serves = serves || line.find("module serves") != std::string::npos;
  }
  CHECK(serves);
}

TEST_CASE("a controller in somebody's program is told of the agent's modules", "[embed]") {
  std::mutex mutex;
  std::condition_variable changed;
  bool told = false;
  AgentOptions options;
  options.log = [&](int, std::string_view line) {
    const std::lock_guard lock(mutex);
    told = told || line.find("echo is serving") != std::string_view::npos;
    changed.notify_all();
  };
  const Embedded embedded(R"(
[agent.log]
level = "info"
[modules.echo]
[controllers.example]
may_call = ["longshore.host.v1.Agent/WatchModules"]
)",
                          std::move(options));
  std::unique_lock lock(mutex);
  CHECK(changed.wait_for(lock, 60s, [&] { return told; }));
}

TEST_CASE("every call that was started has its outcome before the agent is gone", "[embed]") {
  constexpr int kCalls = 20;
  std::atomic<int> outcomes{0};
  {
    Embedded embedded;
    for (int i = 0; i < kCalls; ++i) {
      embedded.echo().start<echo::WaitResponse>(i % 2 == 0 ? "Wait" : "WaitAsync",
                                                wait_request(600'000), [&](auto) { ++outcomes; });
    }
    CHECK(outcomes == 0);
  }
  CHECK(outcomes == kCalls);
}

TEST_CASE("the C functions refuse what makes no sense", "[embed]") {
  longshore_reply* reply = nullptr;
  CHECK(longshore_agent_create(nullptr, nullptr, &reply) == 3);
  CHECK_THAT(longshore_reply_text(reply), Contains("`agent` is null"));
  longshore_reply_free(reply);

  longshore_agent* agent = nullptr;
  longshore_agent_options both{};
  both.struct_size = sizeof(both);
  both.toml_text = "";
  both.toml_file = "/etc/longshore/agent.toml";
  CHECK(longshore_agent_create(&both, &agent, &reply) == 3);
  CHECK(agent == nullptr);
  CHECK_THAT(longshore_reply_text(reply), Contains("toml_text and toml_file"));
  longshore_reply_free(reply);

  CHECK(longshore_agent_call(nullptr, "a/b", "", 0, nullptr, &reply) == 3);
  longshore_reply_free(reply);
  CHECK(longshore_agent_call(nullptr, "a/b", "", 0, nullptr, nullptr) == 3);
  CHECK(longshore_agent_reload(nullptr, "", nullptr) == 3);
  CHECK(longshore_agent_cancel(nullptr, 1) == 5);
  CHECK(longshore_agent_resume(nullptr, 1) == 5);
  CHECK(longshore_agent_destroy(nullptr, nullptr) == 0);
  CHECK(longshore_agent_start_call(nullptr, "a/b", "", 0, nullptr, nullptr, nullptr) == 3);
  longshore_reply_free(nullptr);
  CHECK(std::strlen(longshore_reply_text(nullptr)) > 0);
}

TEST_CASE("a struct whose size was forgotten is refused, not taken for an empty one", "[embed]") {
  longshore_agent* agent = nullptr;
  longshore_reply* reply = nullptr;
  longshore_agent_options options{};
  options.toml_file = "/nonexistent";
  CHECK(longshore_agent_create(&options, &agent, &reply) == 3);
  CHECK_THAT(longshore_reply_text(reply), Contains("struct_size is not set"));
  longshore_reply_free(reply);

  Embedded embedded;
  longshore_call_options call{};
  call.timeout_ns = 1;
  CHECK(longshore_agent_call(embedded.agent().get(), "a/b", "", 0, &call, nullptr) == 3);
  longshore_call_events events{};
  events.on_done = [](void*, longshore_reply*) { FAIL("nothing was started"); };
  CHECK(longshore_agent_start_call(embedded.agent().get(), "a/b", "", 0, nullptr, &events,
                                   nullptr) == 3);
}

TEST_CASE("the C functions check each call's arguments", "[embed]") {
  Embedded embedded;
  longshore_agent* agent = embedded.agent().get();
  longshore_reply* reply = nullptr;
  const char* const method = "longshore.echo.v1.Echo/Say";

  CHECK(longshore_agent_call(agent, nullptr, "", 0, nullptr, nullptr) == 3);
  CHECK(longshore_agent_call(agent, method, nullptr, 5, nullptr, &reply) == 3);
  CHECK_THAT(longshore_reply_text(reply), Contains("request"));
  longshore_reply_free(reply);
  CHECK(longshore_agent_call(agent, method, nullptr, 0, nullptr, nullptr) == 0);
  CHECK(longshore_agent_call(agent, method, "\xff\xff\xff", 3, nullptr, nullptr) == 3);
  CHECK(longshore_agent_call(agent, "", "", 0, nullptr, nullptr) == 12);

  longshore_call_options options{};
  options.struct_size = sizeof(options);
  options.timeout_ns = -1;
  CHECK(longshore_agent_call(agent, method, "", 0, &options, &reply) == 3);
  CHECK_THAT(longshore_reply_text(reply), Contains("timeout_ns"));
  longshore_reply_free(reply);

  // A struct of an older header ends before the field, one of a newer is longer.
  struct {
    longshore_call_options known;
    uint64_t unknown[4];
  } newer{};
  std::memset(&newer, 0xff, sizeof(newer));
  newer.known = {sizeof(newer), 0, nullptr};
  CHECK(longshore_agent_call(agent, method, "", 0, &newer.known, nullptr) == 0);
  options.struct_size = offsetof(longshore_call_options, request_id);
  options.timeout_ns = 0;
  CHECK(longshore_agent_call(agent, method, "", 0, &options, nullptr) == 0);
}

TEST_CASE("a request over the limit is refused like at a socket", "[embed]") {
  Embedded embedded;
  int32_t told = -1;
  longshore_call_events events{};
  events.struct_size = sizeof(events);
  events.user = &told;
  events.on_done = [](void* user, longshore_reply* reply) {
    *static_cast<int32_t*>(user) = longshore_reply_code(reply);
    longshore_reply_free(reply);
  };
  CHECK(longshore_agent_start_call(embedded.agent().get(), "longshore.echo.v1.Echo/Say", "x",
                                   size_t{1} << 62, nullptr, &events, nullptr) == 0);
  CHECK(told == 8);
  longshore_reply* reply = nullptr;
  CHECK(longshore_agent_call(embedded.agent().get(), "longshore.echo.v1.Echo/Say", "x",
                             (4u << 20) + 1, nullptr, &reply) == 8);
  CHECK_THAT(longshore_reply_text(reply), Contains("agent.limits.max_request_bytes"));
  longshore_reply_free(reply);
  const std::string largest = say(std::string((4u << 20) - 5, 'x')).SerializeAsString();
  REQUIRE(largest.size() == 4u << 20);
  CHECK(longshore_agent_call(embedded.agent().get(), "longshore.echo.v1.Echo/Say", largest.data(),
                             largest.size(), nullptr, nullptr) == 0);
}

TEST_CASE("a start that is refused is told once, on the spot", "[embed]") {
  Embedded embedded;
  struct Told {
    int times = 0;
    int32_t code = 0;
  } told;
  longshore_call_events events{};
  events.struct_size = sizeof(events);
  events.user = &told;
  events.on_done = [](void* user, longshore_reply* reply) {
    auto& seen = *static_cast<Told*>(user);
    ++seen.times;
    seen.code = longshore_reply_code(reply);
    longshore_reply_free(reply);
  };
  uint64_t call = 99;
  CHECK(longshore_agent_start_call(embedded.agent().get(), "no.such/Method", "", 0, nullptr,
                                   &events, &call) == 0);
  CHECK(call == 0);
  CHECK(told.times == 1);
  CHECK(told.code == 12);
  CHECK(longshore_agent_start_call(nullptr, "a/b", "", 0, nullptr, &events, &call) == 0);
  CHECK(told.times == 2);
  CHECK(told.code == 3);
}

}  // namespace
}  // namespace longshore::test
