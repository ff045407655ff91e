// log level, trace and top: looking into an agent that works.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "longshorectl_run.h"
#include "terminal_run.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"

using namespace longshore::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

namespace {

// The first value of a field in a text of JSON.
std::string value_of(const std::string& json, const std::string& field) {
  const std::string key = "\"" + field + "\":\"";
  const size_t begin = json.find(key);
  if (begin == std::string::npos) return {};
  const size_t from = begin + key.size();
  return json.substr(from, json.find('"', from) - from);
}

// Asks again until `text` is there: what the agent does after it has answered, a client has to wait
// for.
template <typename Ask>
std::string await(const std::string& text, const Ask& ask) {
  std::string answer;
  eventually([&] {
    answer = ask();
    return answer.find(text) != std::string::npos;
  });
  return answer;
}

std::string last_request(const Served& served) {
  return value_of(served.run({"trace", "--last", "1", "--output", "json"}).output, "request_id");
}

TerminalRun top_on_terminal(const Served& served, std::vector<std::string> words = {}) {
  words.insert(words.begin(), {built_program("longshorectl"), "--socket",
                               served.directory.control_socket(), "top", "--interval", "100ms"});
  return TerminalRun(std::move(words));
}

const std::string kEnter = "\x1b[?1049h";
const std::string kLeave = "\x1b[?1049l";

}  // namespace

TEST_CASE("the log level is shown, set, and given back by a reload that changes it") {
  const Served served;
  CHECK_THAT(served.run({"log", "level"}).output, Equals("info\n"));
  CHECK_THAT(served.run({"log", "level", "debug"}).output,
             StartsWith("debug, until the agent restarts") && Contains("says info"));
  served.run({"call", kEcho + "Say"});
  const std::string done = "DEBUG call done";
  CHECK_THAT(await(done, [&] { return served.directory.log(); }), Contains(done));
  served.run({"reload"});
  CHECK_THAT(served.run({"log", "level", "--output", "json"}).output,
             Equals("{\"level\":\"debug\",\"configured\":\"info\"}\n"));
  served.directory.configure("[agent.log]\nlevel = \"error\"\n");
  CHECK(served.run({"reload"}).exit_code == 0);
  CHECK_THAT(served.run({"log", "level"}).output, Equals("error\n"));
}

TEST_CASE("there are four log levels") {
  const Served served;
  const auto wrong = served.run({"log", "level", "loud"});
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(wrong.errors, Contains("loud") && Contains("debug"));
  CHECK(served.run({"log", "level", "debug", "info"}).exit_code == 1);
  const auto past_us =
      served.run({"call", "longshore.admin.v1.Admin/SetLogLevel", R"({"level": "loud"})"});
  CHECK(past_us.exit_code == 4);
  CHECK_THAT(past_us.errors, Contains("debug, info, warning and error"));
  CHECK_THAT(served.run({"log", "level"}).output, Equals("info\n"));
}

TEST_CASE("a finished request is traced with its log lines") {
  const Served served;
  served.run({"call", "v1.Filesystem/PathExists", R"({"path": "/proc/1"})"});
  const std::string id = last_request(served);
  REQUIRE_FALSE(id.empty());
  const auto traced = await("\nLog\n", [&] { return served.run({"trace", id}).output; });
  CHECK_THAT(traced, Contains("v1.Filesystem/PathExists  PERMISSION_DENIED in ") &&
                         Contains("caller uid:") && Contains("module filesystem") &&
                         Contains("object /proc/1") && Contains("error  cannot look for") &&
                         Contains("\nLog\n") && Contains("status=PERMISSION_DENIED"));
  const auto json = served.run({"trace", id, "--output", "json"}).output;
  CHECK(value_of(json, "state") == "finished");
  CHECK(value_of(json, "status") == "PERMISSION_DENIED");
}

TEST_CASE("nested calls are traced with the call that they belong to") {
  const Served served;
  served.directory.configure({}, "may_call = [\"v1.Filesystem\"]\n");
  REQUIRE(served.run({"reload"}).exit_code == 0);
  const auto relayed = served.run(
      {"call", kEcho + "Forward", R"({"method": "v1.Filesystem/PathExists", "request": ""})"});
  CAPTURE(relayed.errors);
  const auto traced = served.run({"trace", last_request(served)});
  CHECK_THAT(traced.output, Contains(kEcho + "Forward") && Contains("v1.Filesystem/PathExists") &&
                                Contains("caller module:echo on behalf of uid:"));
}

TEST_CASE("a request that still runs is traced") {
  const Served served;
  std::thread caller([&] {
    served.run({"call", kEcho + "Wait", R"({"milliseconds": 60000})", "--timeout", "5s"});
  });
  std::string id;
  await("-", [&] { return id = last_request(served); });
  const auto traced = served.run({"trace", id});
  CHECK_THAT(traced.output, Contains(kEcho + "Wait") && Contains("running for "));
  CHECK_THAT(served.run({"trace", "--last"}).output, Contains("running"));
  CHECK_THAT(served.run({"trace", "--failed"}).output, StartsWith("No call has failed."));
  CHECK_THAT(
      served.run({"top", "echo", "--count", "1", "--interval", "100ms", "--output=json"}).output,
      Contains("\"running\":\"1\""));
  caller.join();
  const auto ended = await("\"finished\"", [&] {
    return served.run({"trace", id, "--output=json"}).output;
  });
  CHECK_THAT(value_of(ended, "status"), Equals("DEADLINE_EXCEEDED") || Equals("CANCELLED"));
}

TEST_CASE("a call whose caller is gone, and that goes on, is told as what it is") {
  const Served served;
  // Time enough to reach the module.
  served.run({"call", kEcho + "Wait", R"({"milliseconds": 60000, "stubborn": true, "object": "x"})",
              "--timeout", "5s"});
  const std::string id = last_request(served);
  const auto traced = await("overdue", [&] { return served.run({"trace", id}).output; });
  CHECK_THAT(traced, Contains(kEcho + "Wait  overdue for ") && Contains("its caller was told "));
  REQUIRE_THAT(traced, Contains("\n    caller "));
  CHECK(traced.find("\n    caller ") == traced.rfind("\n    caller "));  // it is there once
  CHECK_THAT(served.run({"trace", "--failed"}).output, Contains(id));
}

TEST_CASE("a request that nobody knows, and what is no request id") {
  const Served served;
  const auto unknown = served.run({"trace", "nobody-1"});
  CHECK(unknown.exit_code == 4);
  CHECK(unknown.output.empty());
  CHECK_THAT(unknown.errors, StartsWith("NOT_FOUND: ") && Contains("nobody-1") &&
                                 Contains("the last 1024 finished calls are remembered"));
  for (const std::string id : {"a/b", "a b", "\x1b[2J", "-", "ü"}) {
    CAPTURE(id);
    const auto wrong = served.run({"trace", "--", id});
    CHECK(wrong.exit_code == 4);
    CHECK(wrong.output.empty());
    CHECK_THAT(wrong.errors, !Contains("\x1b"));
  }
  CHECK_THAT(served.run({"trace", "a/b"}).errors, StartsWith("INVALID_ARGUMENT: "));
  CHECK(served.run({"trace", std::string(65, 'a')}).exit_code == 4);
  CHECK(served.run({"trace"}).exit_code == 1);
  CHECK(served.run({"trace", "a", "--last"}).exit_code == 1);
  CHECK(served.run({"trace", "--last", "0"}).exit_code == 1);
  CHECK(served.run({"trace", "--last", "many"}).exit_code == 1);
}

TEST_CASE("the last requests are listed, and the failed ones") {
  const Served served;
  CHECK_THAT(served.run({"trace", "--last"}).output, StartsWith("No calls."));
  for (int i = 0; i < 3; ++i) served.run({"call", kEcho + "Say"});
  CHECK_THAT(served.run({"trace", "--failed"}).output, StartsWith("No call has failed."));
  served.run({"call", kEcho + "Fail", R"({"code": 5, "text": "not here"})"});
  const auto all = served.run({"trace", "--last", "2"}).output;
  CHECK_THAT(all, StartsWith("STARTED") && Contains(kEcho + "Say") && Contains("NOT_FOUND") &&
                      Contains("remembers its last 1024 finished calls"));
  CHECK(std::count(all.begin(), all.end(), '\n') == 5);
  CHECK_THAT(served.run({"trace", "--last", "9", "--failed"}).output,
             Contains(kEcho + "Fail") && !Contains(kEcho + "Say"));
  const auto negative =
      served.run({"call", "longshore.admin.v1.Admin/ListCalls", R"({"limit": -1})"});
  CHECK(negative.exit_code == 4);
  CHECK_THAT(negative.errors, StartsWith("INVALID_ARGUMENT: "));
}

TEST_CASE("secrets of requests are in no trace") {
  const Served served;
  served.run({"call", kEcho + "Describe", "-"}, R"({"password": "swordfish"})");
  const auto traced = served.run({"trace", last_request(served), "--output", "json"});
  CHECK(traced.exit_code == 0);
  CHECK_THAT(traced.output, Contains("Describe") && !Contains("swordfish"));
}

TEST_CASE("top prints samples where there is no terminal") {
  const Served served;
  const auto text = served.run({"top", "--count", "2", "--interval", "100ms"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.output, StartsWith("MODULE ") && Contains("\necho ") && Contains("\n\nMODULE ") &&
                              !Contains("\x1b"));
  const auto json = served.run({"top", "--count", "3", "--interval", "100ms", "--output=json"});
  CHECK(std::count(json.output.begin(), json.output.end(), '\n') == 3);
  CHECK_THAT(json.output, StartsWith("{\"seconds\":0.") && Contains("\"calls_per_second\":"));
  CHECK_THAT(served.run({"top", "--methods", "--count", "1", "--interval", "100ms"}).output,
             StartsWith("METHOD ") && Contains(kEcho + "Say"));
}

TEST_CASE("top counts the calls that are made meanwhile") {
  const Served served;
  std::atomic<bool> enough{false};
  std::thread caller([&] {
    while (!enough) served.run({"call", kEcho + "Say"});
  });
  const auto run =
      served.run({"top", "echo", "--methods", "--count", "1", "--interval", "1s", "--output=json"});
  enough = true;
  caller.join();
  const size_t say = run.output.find("Echo/Say\"");
  REQUIRE(say != std::string::npos);
  const std::string row = run.output.substr(say, run.output.find('}', say) - say);
  CAPTURE(row);
  CHECK_THAT(row, !Contains("\"calls_per_second\":0,"));
  CHECK_THAT(row, !EndsWith("\"mean_ms\":0"));
}

TEST_CASE("top refuses what makes no sense") {
  const Served served;
  const auto words = GENERATE(values<std::vector<std::string>>({{"--interval", "1ms"},
                                                                {"--interval", "2h"},
                                                                {"--interval", "soon"},
                                                                {"--count", "0"},
                                                                {"--count", "-1"},
                                                                {"--count", "x"},
                                                                {"echo", "filesystem"}}));
  CAPTURE(words);
  std::vector<std::string> all{"top"};
  all.insert(all.end(), words.begin(), words.end());
  const auto run = served.run(all);
  CHECK(run.exit_code == 1);
  CHECK(run.output.empty());
  const auto unknown = served.run({"top", "ecko"});
  CHECK(unknown.exit_code == 4);
  CHECK_THAT(unknown.errors, Contains("did you mean \"echo\"?"));
}

TEST_CASE("top has the screen until it is ended, and gives it back as it was") {
  const Served served;
  TerminalRun top = top_on_terminal(served);
  REQUIRE(top.await("STUCK"));
  CHECK_THAT(top.output(), StartsWith(kEnter));
  CHECK_FALSE(top.is_as_before());
  SECTION("by q") { top.type("xq"); }
  SECTION("by Ctrl-C") { top.type("\x03"); }
  SECTION("by SIGTERM") { top.signal(SIGTERM); }
  CHECK(top.wait() == 0);
  CHECK_THAT(top.output(), EndsWith(kLeave));
  CHECK(top.is_as_before());
}

TEST_CASE("top on a terminal ends after the samples that were asked for") {
  const Served served;
  TerminalRun top = top_on_terminal(served, {"--count", "2", "--methods"});
  CHECK(top.wait() == 0);
  CHECK_THAT(top.output(), Contains("METHOD") && EndsWith(kLeave));
  CHECK(top.is_as_before());
}

TEST_CASE("top waits for an agent that went away") {
  Served served;
  TerminalRun top = top_on_terminal(served);
  REQUIRE(top.await("STUCK"));
  REQUIRE(served.agent.stop() == 0);
  REQUIRE(top.await("is longshored running"));
  const AgentProcess again(served.directory);
  REQUIRE(again.serves());
  CHECK(top.await("STUCK", top.output().size()));
  top.type("q");
  CHECK(top.wait() == 0);
}

TEST_CASE("there are colours on a terminal only, and never in JSON") {
  const Served served;
  const std::string escape = "\x1b[";
  const auto on_terminal = [&](std::vector<std::string> variables, std::vector<std::string> more) {
    std::vector<std::string> words{"/usr/bin/env"};
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), {"TERM=xterm", built_program("longshorectl"), "--socket",
                               served.directory.control_socket(), "modules"});
    words.insert(words.end(), more.begin(), more.end());
    TerminalRun run(std::move(words));
    CHECK(run.wait() == 0);
    return run.output();
  };
  CHECK_THAT(on_terminal({"-uNO_COLOR"}, {}), Contains(escape + "32mserving"));
  CHECK_THAT(on_terminal({"NO_COLOR=1"}, {}), !Contains(escape));
  CHECK_THAT(on_terminal({"NO_COLOR=1"}, {"--color=always"}), Contains(escape));
  CHECK_THAT(on_terminal({"-uNO_COLOR"}, {"--color=never"}), !Contains(escape));
  CHECK_THAT(on_terminal({"-uNO_COLOR"}, {"--output=json", "--color=always"}), !Contains(escape));
  CHECK_THAT(served.run({"modules"}).output, !Contains(escape));
  CHECK_THAT(served.run({"modules", "--color=always"}).output, Contains(escape));
  CHECK(served.run({"modules", "--color=perhaps"}).exit_code == 1);
  CHECK_THAT(served.run({"trace", "nobody", "--color=always"}).errors,
             StartsWith(escape + "31mNOT_FOUND"));
}
