// longshore-module-check.exe: a process for each test, and the facts that Windows has of a process.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/build_tree.h"
#include "tests/windows/agent_program.h"

using namespace longshore::test;
using Catch::Contains;

namespace {

ProgramEndState check_module(std::vector<std::string> words) {
  words.insert(words.begin(), {"--seed", "1"});
  return run_program("longshore-module-check", words);
}

struct HostileModule {
  std::string name;
  std::string test;
  std::string line;  // what is said of the test
};

const std::vector<HostileModule>& hostile_modules() {
  static const std::vector<HostileModule> kModules = {
      {"wrong_magic", "file", "failed   file            cannot load the module: its magic number"},
      {"opens_early", "load", "failed   load            loading the file starts threads or opens"},
      {"no_table", "life", "failed   life            create gave no functions"},
      {"start_fails", "life", "it does not start: the disk is on fire"},
      {"stop_hangs", "life", "failed   life            it hangs, while stopping"},
      {"crash_in_start", "life",
       "crashed  life            it crashed with an access violation (0xC0000005), while starting"},
      {"crash_in_invoke", "garbage",
       "with an access violation (0xC0000005), while calling hostile"},
      {"aborts", "garbage", "because it gave up (0xC0000409), while calling hostile"},
      {"exits", "garbage", "the module ended the process with status 3, while calling hostile"},
      {"reads_past_host", "older-host", "an access violation (0xC0000005), while creating"},
      {"finish_twice", "exactly-once", "which is finished already"},
      {"never_finishes", "exactly-once", "was not answered in time"},
      {"leaks_memory", "memory", "bytes are left by each instance"},
      {"leaks_descriptors", "descriptors", "3 descriptors are left open by 3 instances"},
      {"leaks_threads", "threads", "3 threads are left running by 3 instances"},
  };
  return kModules;
}

}  // namespace

TEST_CASE("a module that keeps the contract passes on Windows") {
  const auto run = check_module({"--call-mutating", hostile_module("behaves")});
  CAPTURE(run.output);
  CHECK_THAT(run.output, Contains("passed   life") && Contains("passed   storm") &&
                             Contains("passed   descriptors") && Contains("passed   surroundings"));
  // Its answers are no messages; all else is well.
  CHECK_THAT(run.output, Contains(" 1 failed, 0 crashed, 0 skipped"));
}

TEST_CASE("a module in C++ passes on Windows") {
  const auto run = check_module({built_module("echo")});
  CAPTURE(run.output);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Contains(" 0 failed, 0 crashed,"));
}

TEST_CASE("each fault of a hostile DLL is found by the test for it") {
  const HostileModule module = GENERATE(from_range(hostile_modules()));
  CAPTURE(module.name);
  const bool waits = module.line.find("hangs") != std::string::npos ||
                     module.line.find("in time") != std::string::npos;
  const auto run = check_module({"--time-limit", waits ? "3s" : "300s", "--call-mutating", "--only",
                                 module.test, hostile_module(module.name)});
  CAPTURE(run.output);
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.output, Contains(module.line));
}

TEST_CASE("words of a process for a test, but no such test, are a mistake of the command line") {
  const auto run = run_program("longshore-module-check", {"__apart", "nonsense", "1", "0"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 1);
}
