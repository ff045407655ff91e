// The completion of the programs, in bash, without the functions of the package bash-completion.
#include <catch2/catch.hpp>
#include <sstream>

#include "longshorectl_run.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"

using namespace longshore::test;

namespace {

using Words = std::vector<std::string>;

// As bash calls it: the line, and its words as bash divides them. Answers are lines.
std::string complete(const std::string& line, Words words) {
  const std::string script =
      "source \"$1\" || exit\n"
      "COMP_LINE=$2 COMP_POINT=${#2}\n"
      "COMP_WORDS=(\"${@:3}\") COMP_CWORD=$(($# - 3))\n"
      "spec=$(complete -p \"${COMP_WORDS[0]##*/}\") || exit\n"
      "[[ $spec =~ -F\\ ([a-z_]+) ]] && \"${BASH_REMATCH[1]}\"\n"
      "for each in \"${COMPREPLY[@]}\"; do echo \"$each\"; done\n";
  words.insert(words.begin(), {"/bin/bash", "--norc", "-c", script, "bash",
                               (source_tree() + "/packaging/completion/longshorectl"), line});
  const auto run = run_program(std::move(words));
  CHECK(run.errors == "");
  return run.output;
}

// For words that bash divides at spaces only.
std::string complete(const std::string& program, const std::string& rest) {
  const std::string line = program + " " + rest;
  Words words;
  std::istringstream text(line);
  for (std::string word; text >> word;) words.push_back(word);
  if (line.ends_with(' ')) words.emplace_back();
  return complete(line, std::move(words));
}

const std::string kCtl = built_program("longshorectl");

}  // namespace

TEST_CASE("commands, options and choices are completed without an agent") {
  CHECK(complete(kCtl, "st") == "status\n");
  CHECK(complete(kCtl, "config s") == "sample\nshow\n");
  CHECK(complete(kCtl, "--so") == "--socket\n");
  CHECK(complete(kCtl, "--output ") == "json\ntext\n");
  CHECK(complete(kCtl, "log level ") == "debug\nerror\ninfo\nwarning\n");
  CHECK(complete(kCtl, "nonsense ") == "");
  CHECK(complete(kCtl, "--socket /nowhere/control.sock call ") == "");
}

TEST_CASE("what bash divides at an equals sign is completed") {
  CHECK(complete(kCtl + " --output=", {kCtl, "--output", "="}) == "json\ntext\n");
  CHECK(complete(kCtl + " status --output=j", {kCtl, "status", "--output", "=", "j"}) == "json\n");
}

TEST_CASE("files are completed, also behind @ and an equals sign") {
  const TemporaryDirectory directory;
  const std::string name = directory / "a request.json";
  write_file(name, "{}");
  const std::string begin = directory / "a r";
  CHECK(complete(kCtl + " config check " + begin, {kCtl, "config", "check", begin}) == name + "\n");
  CHECK(complete(kCtl + " config check --config=" + begin,
                 {kCtl, "config", "check", "--config", "=", begin}) == name + "\n");
  CHECK(complete(kCtl + " call a/b @" + begin, {kCtl, "call", "a/b", "@", begin}) == name + "\n");
  CHECK(complete(kCtl + " call a/b " + begin, {kCtl, "call", "a/b", begin}) == "");
  CHECK(complete(kCtl + " config --module-dir " + begin, {kCtl, "config", "--module-dir", begin}) ==
        "");
}

TEST_CASE("methods, modules and requests are those of the running agent") {
  const Served served;
  const std::string socket = "--socket " + served.directory.control_socket() + " ";
  // The agent has a short time to answer, which a busy machine may miss.
  const auto completes = [&](const std::string& rest, const std::string& expected) {
    return eventually([&] { return complete(kCtl, socket + rest) == expected; });
  };
  CHECK(completes("call longshore.echo.v1.Echo/Say",
                  "longshore.echo.v1.Echo/Say\nlongshore.echo.v1.Echo/SayAtOnce\n"));
  CHECK(completes("top ", "echo\nfilesystem\n"));
  CHECK(complete(kCtl, "--socket " + served.directory.echo_socket() + " top ") == "");
  CHECK(complete(kCtl, socket + "trace ") == "");
  served.run({"call", kEcho + "Say"});
  CHECK(
      eventually([&] { return complete(kCtl, socket + "trace ").find('-') != std::string::npos; }));
}

TEST_CASE("the agent's own command line is completed") {
  const std::string agent = built_program("longshored");
  CHECK(complete(agent, "--c") == "--check\n--config\n");
  CHECK(complete(agent, "config ") == "check\ndiff\nsample\nshow\n");
  CHECK(complete(agent, "nonsense ") == "");
}

TEST_CASE("the command line of the validator is completed") {
  const std::string program = built_program("longshore-module-check");
  CHECK(complete(program, "--call") == "--call-mutating\n");
  CHECK(complete(program, "--only st") == "storm\n");
  const TemporaryDirectory directory;
  write_file(directory / "module.so", "");
  CHECK(complete(program, directory / "mod") == (directory / "module.so") + "\n");
}

TEST_CASE("a word that is completed is not run") {
  const TemporaryDirectory directory;
  const std::string file = directory / "ran";
  const std::string word = "$(touch${IFS}" + file + ")";
  CHECK(complete(kCtl + " " + word, {kCtl, word}) == "");
  CHECK(complete(kCtl + " config check " + word, {kCtl, "config", "check", word}) == "");
  CHECK_FALSE(std::filesystem::exists(file));
}
