// longshore-module-check on modules that break the contract, each in one way: what it must find,
// and what it advises.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/build_tree.h"
#include "tests/support/program_run.h"
#include "tests/support/temporary_directory.h"

namespace {

using longshore::test::ProgramRun;
using longshore::test::run_program;
using longshore::test::TemporaryDirectory;
using longshore::test::write_file;

const std::string kFolder = longshore::test::hostile_folder() + "/";

ProgramRun check(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), longshore::test::built_program("longshore-module-check"));
  return run_program(std::move(arguments));
}

std::string content(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The value behind `"key":"` in JSON, from `begin` on.
std::string text_behind(const std::string& json, const std::string& key, size_t begin) {
  const std::string before = "\"" + key + "\":\"";
  const size_t start = json.find(before, begin);
  if (start == std::string::npos) return "";
  const size_t end = json.find("\",\"", start + before.size());
  return json.substr(start + before.size(), end - start - before.size());
}

struct Fault {
  std::string module;
  std::string test;
  std::string outcome;
  std::string text;
  std::string advice;
};

const std::string kHandleOnce = "use a call's handle only until it is finished";
const std::string kDebugger = "under AddressSanitizer, or this one in a debugger";
const std::string kLeaveAlone = "leave it alone";
const std::string kBoundWaits = "bound every wait";

const std::vector<Fault>& faults() {
  static const std::vector<Fault> kFaults = {
      // What the agent would not load.
      {"wrong_magic", "file", "failed", "its magic number is wrong",
       "not built with the Longshore"},
      {"wrong_major", "file", "failed", "it speaks version 1.x", "ask its vendor"},
      {"newer_minor", "file", "failed", "it needs version 0.3", "update the agent"},
      {"short_struct", "file", "failed", "cut short", "compare with longshore/abi.h"},
      {"no_export", "file", "failed", "does not export longshore_module", "longshore_add_module"},
      {"extra_export", "file", "failed", "it exports more", "the SDK's version script"},
      {"search_path", "file", "failed", "RUNPATH", "without -rpath"},
      {"foreign_library", "file", "failed", "libz.so.1", "link that library statically"},
      {"opens_early", "load", "failed", "starts threads or opens files", "do that in start"},
      // Instances.
      {"create_refuses", "life", "failed", "refused to create", "start say what is wrong"},
      {"no_table", "life", "failed", "create gave no functions", "set *functions"},
      {"null_functions", "life", "failed", "lacks start, invoke, stop or destroy", "fill in"},
      {"short_table", "life", "failed", "lacks start, invoke, stop or destroy", "struct_size"},
      {"create_hangs", "life", "failed", "it hangs, while creating", kBoundWaits},
      {"start_fails", "life", "failed", "it does not start: the disk is on fire", "--settings"},
      {"start_hangs", "life", "failed", "it hangs, while starting", kBoundWaits},
      {"stop_hangs", "life", "failed", "it hangs, while stopping", kBoundWaits},
      {"destroy_hangs", "life", "failed", "it hangs, while destroying", kBoundWaits},
      {"crash_in_create", "life", "crashed", "SIGABRT, while creating", kDebugger},
      {"crash_in_start", "life", "crashed", "SIGSEGV, while starting", kDebugger},
      {"crash_in_stop", "life", "crashed", "SIGSEGV, while stopping", kDebugger},
      {"crash_in_destroy", "life", "crashed", "SIGSEGV, while destroying", kDebugger},
      {"returns_late", "never-started", "crashed", "SIGSEGV, while destroying", kDebugger},
      {"calls_in_create", "life", "failed", "create may only log", "do it in start"},
      {"reads_past_host", "older-host", "crashed", "SIGSEGV, while creating", kDebugger},
      {"wants_own_size", "newer-host", "failed", "refused to create", "let create succeed"},
      {"believes_settings", "bad-settings", "crashed", "bytes that are no message", kDebugger},
      {"believes_handover", "handover", "crashed", "a handover that is garbage", kDebugger},
      // Calls.
      {"finish_twice", "exactly-once", "failed", "which is finished already", kHandleOnce},
      {"never_finishes", "exactly-once", "failed", "was not answered in time", "finish every call"},
      {"breaks_in_storms", "storm", "crashed", "SIGABRT, while calling", kDebugger},
      {"ignores_cancel", "cancel", "failed", "ms after it was cancelled", "ask call_state"},
      {"second_answer", "garbage", "failed", "a second message was sent", "send one message"},
      {"no_answer", "garbage", "failed", "without an answer", "send a message before finishing"},
      {"null_data", "garbage", "failed", "at no address", "pass bytes that are there"},
      {"unknown_code", "garbage", "failed", "with the code -64", "status codes, 0 to 16"},
      {"stale_handles", "garbage", "failed", "which does not exist", "only handles that the host"},
      {"huge_reply", "garbage", "crashed", "with 0a05787878", kDebugger},
      {"crash_in_invoke", "garbage", "crashed", "SIGSEGV, while calling", kDebugger},
      {"aborts", "garbage", "crashed", "SIGABRT, while calling", kDebugger},
      {"throws", "garbage", "crashed", "SIGABRT, while calling", kDebugger},
      {"huge_stack", "garbage", "crashed", "SIGSEGV, while calling", kDebugger},
      {"eats_memory", "garbage", "crashed", "SIGABRT, while calling", kDebugger},
      {"exits", "garbage", "failed", "ended the process with status 3", "must not call exit"},
      {"exits_thread", "garbage", "crashed", "SIGABRT, while calling", kDebugger},
      {"log_flood", "garbage", "warning", "", ""},
      {"behaves", "requests", "failed", "is not its message: it is no message", "encode answers"},
      {"lacks_handler", "requests", "warning", "answers UNIMPLEMENTED: no such method",
       "register its handler"},
      {"passes_on", "requests", "passed", "", ""},
      // What is left behind, and what blocks.
      {"blocks_in_cancel", "thread-tags", "failed", "cancel blocked for 1", "must not block"},
      {"leaks_memory", "memory", "failed", "bytes are left by each instance", "free in destroy"},
      {"leaks_descriptors", "descriptors", "failed", "3 descriptors are left", "close in stop"},
      {"leaks_threads", "threads", "failed", "3 threads are left running", "end and join"},
      // Whether it comes before or after destroy is the machine's choice.
      {"leftover_thread", "thread-tags", "failed", "was", "is finished"},
      {"changes_folder", "surroundings", "failed", "file mode creation mask", kLeaveAlone},
      {"masks_signals", "surroundings", "failed", "signals", kLeaveAlone},
      {"closes_descriptors", "surroundings", "failed", "the open files", kLeaveAlone},
      {"forks", "surroundings", "warning", "it forks the process", "posix_spawn"},
  };
  return kFaults;
}

}  // namespace

TEST_CASE("each fault of a hostile module is found by the test for it, with what to do") {
  const Fault fault = GENERATE(from_range(faults()));
  CAPTURE(fault.module, fault.test);
  const bool waits = fault.text.find("hangs") != std::string::npos ||
                     fault.text.find("in time") != std::string::npos;
  const auto run = check({"--json", "--seed", "1", "--time-limit", waits ? "3s" : "300s",
                          "--call-mutating", "--only", fault.test, kFolder + fault.module + ".so"});
  CAPTURE(run.output, run.errors);
  CHECK(run.exit_code == (fault.outcome == "warning" || fault.outcome == "passed" ? 0 : 2));
  const size_t begin = run.output.find("\"results\"");
  REQUIRE(begin != std::string::npos);
  CHECK(text_behind(run.output, "test", begin) == fault.test);
  CHECK(text_behind(run.output, "outcome", begin) == fault.outcome);
  CHECK_THAT(text_behind(run.output, "text", begin), Catch::Contains(fault.text));
  CHECK_THAT(text_behind(run.output, "advice", begin), Catch::Contains(fault.advice));
}

TEST_CASE("a module that keeps the contract passes, and what cannot be tested is skipped") {
  const auto run = check({"--seed", "1", kFolder + "longer_struct.so"});
  CAPTURE(run.output);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("passed   life"));
  CHECK_THAT(run.output, Catch::Contains("skipped  requests        no method is annotated "
                                         "reads_only; add --call-mutating"));
  CHECK_THAT(run.output, Catch::Contains(" 0 failed, 0 crashed, 2 skipped; seed 1\n"));
}

TEST_CASE("the same seed makes the same requests, and the summary tells how to repeat them") {
  const std::vector<std::string> arguments = {"--seed", "7", "--only", "exactly-once",
                                              kFolder + "finish_twice.so"};
  const auto first = check(arguments);
  CHECK(first.exit_code == 2);
  CHECK(first.output == check(arguments).output);
  CHECK_THAT(first.output,
             Catch::Contains("\nTo repeat one: longshore-module-check --seed 7 --only "
                             "exactly-once " +
                             arguments.back() + "\n"));
  const auto any = check({"--only", "file", kFolder + "behaves.so"});
  CHECK_THAT(any.output, Catch::Contains(", seed "));
}

TEST_CASE("when a module does not come to serve, the rest is left out") {
  const auto run = check({kFolder + "start_fails.so"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.output, Catch::Contains("skipped  storm           the module does not come to "
                                         "serve; see the test life\n"));
  const auto refused = check({kFolder + "wrong_magic.so"});
  CHECK_THAT(refused.output,
             Catch::Contains("skipped  life            the agent would not load the "
                             "file; see the tests file and description\n"));
}

TEST_CASE("mistakes of the command line are told") {
  const auto [arguments, said] = GENERATE(table<std::vector<std::string>, std::string>({
      {std::vector<std::string>(), "FILE is missing"},
      {{"--only", "nonsense", kFolder + "behaves.so"}, "no test has such a name"},
      {{"--time-limit", "0s", kFolder + "behaves.so"}, "write --time-limit as"},
      {{"--seed", "x", kFolder + "behaves.so"}, "--seed"},
      {{"--settings", "size=5", kFolder + "behaves.so"}, "the module has no such option"},
      {{"--nonsense"}, "--nonsense"},
  }));
  const auto run = check(arguments);
  CAPTURE(run.errors);
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::Contains(said));
  CHECK(run.output.empty());
}

TEST_CASE("what is not there, or no module, is a failed test and no mistake of the command line") {
  for (const char* file : {"/nowhere/module.so", "/proc/self/exe", "/dev/null"}) {
    const auto run = check({"--json", file});
    CAPTURE(run.output);
    CHECK(run.exit_code == 2);
    CHECK_THAT(run.output, Catch::Contains("\"failed\":1,\"crashed\":0,\"skipped\":20"));
  }
}

TEST_CASE("a file that the agent would not load is a failed test whatever was chosen") {
  // With a literal in front, Catch2 would cast the string to a reference to an array of characters.
  const std::string file = GENERATE(as<std::string>(), "/no/such.so", kFolder + "wrong_magic.so");
  const std::string chosen = GENERATE("life", "description", "file");
  CAPTURE(file, chosen);
  const auto run = check({"--only", chosen, file});
  CAPTURE(run.output);
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.output, Catch::Contains("\nfailed   file  "));
  CHECK_THAT(run.output, Catch::Contains(" 1 failed, 0 crashed, " +
                                         std::string(chosen == "file" ? "0" : "1") + " skipped"));
  CHECK(check({"--only", "nonsense", file}).exit_code == 1);
}

TEST_CASE("so is a description that the agent would refuse") {
  const TemporaryDirectory directory;
  const std::string file = directory / "behaves.so";
  std::string bytes = content(kFolder + "behaves.so");
  const size_t service = bytes.find("hostile.v1.Hostile");
  REQUIRE(service != std::string::npos);
  write_file(file, bytes.replace(service, 18, "hostile.v1.Missing"));
  const auto run = check({"--only", "life", file});
  CAPTURE(run.output);
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.output, Catch::Contains("\nfailed   description  "));
  CHECK_THAT(run.output, Catch::Contains(" 1 failed, 0 crashed, 1 skipped"));
}

TEST_CASE("all tests are listed with what they are for") {
  const auto run = check({"--list"});
  CHECK(run.exit_code == 0);
  CHECK(std::count(run.output.begin(), run.output.end(), '\n') == 21);
  CHECK_THAT(run.output, Catch::Contains("storm           mixed calls on many threads at once\n"));
}
