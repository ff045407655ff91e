// How longshorectl's command line goes on, without an agent.
#include "tools/cli_completion.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "tools/longshorectl/command_line.h"

namespace longshore::cli_completion {
namespace {

using Words = std::vector<std::string>;

#if defined(_WIN32)
constexpr size_t kCommandCount = 14;  // with "service"
#else
constexpr size_t kCommandCount = 14;  // with "kube"
#endif

struct Fixture {
  Fixture() { ctl::describe(app, line); }

  Completion completion(const Words& words) const {
    return complete(app, words, [&](const std::string& type, const std::string&) {
      const auto found = values.find(type);
      return found == values.end() ? Words() : found->second;
    });
  }
  Words candidates(const Words& words) const { return completion(words).candidates; }

  ctl::CommandLine line;
  CLI::App app;
  std::map<std::string, Words> values = {
      {"METHOD", {"v1.Disk/List", "v1.Disk/Rescan", "v1.Volume/List"}}, {"MODULE", {"disk"}}};
};

TEST_CASE_METHOD(Fixture, "commands go on as they are described") {
  CHECK(candidates({"st"}) == Words{"status"});
  CHECK(candidates({"config", ""}) == Words{"check", "diff", "sample", "show"});
  CHECK(candidates({"log", "l"}) == Words{"level"});
  CHECK(candidates({"log", "level", ""}) == Words{"debug", "error", "info", "warning"});
  CHECK(candidates({""}).size() == kCommandCount);
  CHECK(candidates({"--timeout", "3s", "--output=json", "re"}) == Words{"reload"});
  CHECK(candidates({}).empty());
}

TEST_CASE_METHOD(Fixture, "options go on, those of the whole command line too") {
  CHECK(candidates({"trace", "--l"}) == Words{"--last"});
  CHECK(candidates({"trace", "--out"}) == Words{"--output"});
  CHECK(candidates({"config", "show", "--or"}) == Words{"--origin"});
  CHECK(candidates({"config", "check", "--or"}).empty());
  CHECK(candidates({"--la"}).empty());
}

TEST_CASE_METHOD(Fixture, "values go on, behind a space or an equals sign") {
  CHECK(candidates({"--output", "j"}) == Words{"json"});
  CHECK(candidates({"--output=j"}) == Words{"--output=json"});
  CHECK(candidates({"status", "--color", ""}) == Words{"always", "auto", "never"});
  CHECK(candidates({"--timeout", ""}).empty());
  CHECK(candidates({"--nonsense=", ""}).empty());
}

TEST_CASE_METHOD(Fixture, "what the agent knows is asked for by its kind") {
  CHECK(candidates({"call", "v1.D"}) == Words{"v1.Disk/List", "v1.Disk/Rescan"});
  CHECK(candidates({"top", ""}) == Words{"disk"});
  values.clear();
  CHECK(candidates({"call", ""}).empty());
}

TEST_CASE_METHOD(Fixture, "names that would drive the shell or the terminal are left out") {
  values["METHOD"] = {"v1.A/$(reboot)", "v1.B/a b", "v1.C/\x1b[2J", "v1.D/`x`", "v1.E/Fine", ""};
  CHECK(candidates({"call", ""}) == Words{"v1.E/Fine"});
}

TEST_CASE_METHOD(Fixture, "files are left to the shell") {
  using Files = Completion::Files;
  CHECK(completion({"config", "check", "/e"}).files == Files::kFiles);
  CHECK(completion({"config", "--module-dir", ""}).files == Files::kFolders);
  const auto joined = completion({"config", "--config=/etc/lo"});
  CHECK(joined.files == Files::kFiles);
  CHECK(joined.files_from == 9);
  const auto request = completion({"call", "v1.Disk/List", "@req"});
  CHECK(request.files == Files::kFiles);
  CHECK(request.files_from == 1);
  CHECK(completion({"call", "v1.Disk/List", "{"}).files == Files::kNone);
  CHECK(completion({"status", ""}).files == Files::kNone);
  std::ostringstream output;
  print(request, output);
  CHECK(output.str() == ":files 1\n");
}

TEST_CASE_METHOD(Fixture, "nothing goes on behind words that are wrong") {
  CHECK(candidates({"stauts", ""}).empty());
  CHECK(candidates({"status", "more", ""}).empty());
  CHECK(candidates({"--nonsense", "st"}).empty());
  CHECK(candidates({"status", "--", "--out"}).empty());
}

TEST_CASE_METHOD(Fixture, "a slip of the finger is seen") {
  CHECK(misspelling(app, {"stauts"}) == "there is no command \"stauts\"; did you mean \"status\"?");
  CHECK(misspelling(app, {"config", "shwo"}) ==
        "there is no command \"shwo\"; did you mean \"show\"?");
  CHECK(misspelling(app, {"status", "--outptu=json"}) ==
        "there is no option \"--outptu\"; did you mean \"--output\"?");
  CHECK(misspelling(app, {"xyzzy"}) == "there is no command \"xyzzy\"");
  CHECK(misspelling(app, {"-x"}) == "there is no option \"-x\"");
  CHECK(misspelling(app, {"status"}).empty());
  CHECK(misspelling(app, {"status", "more"}).empty());
  CHECK(misspelling(app, {"trace", "--last", "--failed"}).empty());
  CHECK(misspelling(app, {"trace", "--last", "5"}).empty());
}

TEST_CASE_METHOD(Fixture, "help is given where a command is missing") {
  using Catch::Matchers::Contains;
  CHECK_THAT(help_if_command_lacks(app, {}), Contains("Usage: longshorectl [OPTIONS] SUBCOMMAND"));
  CHECK_THAT(help_if_command_lacks(app, {"--output", "json", "log"}),
             Contains("Usage: longshorectl log") && Contains("level"));
  CHECK(help_if_command_lacks(app, {"call"}).empty());
  CHECK(help_if_command_lacks(app, {"nonsense"}).empty());
}

}  // namespace
}  // namespace longshore::cli_completion
