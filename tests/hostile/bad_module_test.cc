// Modules whose structs say something wrong, before and at the making of an instance.
#include <catch2/catch.hpp>

#include "hostile_world.h"

namespace longshore::hostile {
namespace {

using namespace std::chrono_literals;
using loader::Instance;

void check_refused(const std::string& module, StatusCode code, const std::string& why) {
  const Error error = load_error(file_of(module));
  CHECK(error.code() == code);
  CHECK(error.message() == file_of(module) + ": cannot " + why);
}

TEST_CASE("What is no module of our ABI is refused before any of its code runs") {
  check_refused("wrong_magic", StatusCode::kInvalidArgument,
                "load the module: its magic number is wrong; it was not built with the Longshore "
                "SDK, or the file is damaged");
  check_refused("wrong_major", StatusCode::kFailedPrecondition,
                "load the module: it speaks version 1.x of the module ABI and this agent speaks "
                "0.2; ask its vendor for a build for this agent");
  check_refused("newer_minor", StatusCode::kFailedPrecondition,
                "load the module: it needs version 0.3 of the module ABI and this agent speaks "
                "0.2; update the agent");
  check_refused("short_struct", StatusCode::kInvalidArgument,
                "load the module: its module structure is cut short");
  check_refused("no_export", StatusCode::kInvalidArgument,
                "read the module: it does not export longshore_module, so it is not a module");
}

TEST_CASE("A module that would disturb others is refused") {
  check_refused("extra_export", StatusCode::kFailedPrecondition,
                "load the module: it exports more than longshore_module: \"malloc\"; link it with "
                "the SDK's version script, so that it cannot disturb other modules");
  check_refused("search_path", StatusCode::kFailedPrecondition,
                "load the module: it carries a RUNPATH, which would choose where libraries come "
                "from; link it without -rpath");
  check_refused("foreign_library", StatusCode::kFailedPrecondition,
                "load the module: it needs the library libz.so.1, which modules may not bring "
                "along; link that library statically, with its symbols hidden");
}

TEST_CASE("A module whose structs are longer than ours works") {
  Subject subject("longer_struct");
  const Answer answer = subject.started().call();
  CHECK(answer.code == StatusCode::kOk);
  CHECK(answer.message == "well");
  CHECK(subject.stop() == "");
}

TEST_CASE("A table without what is required is refused") {
  for (const char* module : {"null_functions", "short_table"}) {
    CHECK(create_error(module).message() ==
          "cannot create the module instance \"" + std::string(module) +
              "\": the module lacks start, invoke, stop or destroy");
  }
  CHECK(create_error("no_table").message() ==
        "cannot create the module instance \"no_table\": the module gave no functions");
}

TEST_CASE("A module that refuses to be created is not destroyed, and its reason is in the log") {
  const Error error = create_error("create_refuses");
  CHECK(error.code() == StatusCode::kFailedPrecondition);
  CHECK(error.message() ==
        "cannot create the module instance \"create_refuses\": the module refused");
  CHECK(World::get().logged("not today"));
}

TEST_CASE("What a module says why it does not start reaches the administrator, and it ends well") {
  Subject subject("start_fails");
  const auto started = subject.instance().start({}, {});
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == StatusCode::kFailedPrecondition);
  CHECK(started.error().message() ==
        "cannot start the module \"start_fails\": the disk is on fire");
  CHECK(subject.instance().figures().state == Instance::State::kFailed);
  const Answer answer = subject.call();
  CHECK(answer.code == StatusCode::kUnavailable);
  CHECK(answer.text ==
        "cannot call \"hostile.v1.Hostile/Do\": the module start_fails is failed; try again");
  CHECK(subject.stop() == "");
}

TEST_CASE("A start that hangs fails in time and its instance is abandoned") {
  loader::InstanceOptions options;
  options.start_timeout = 200ms;
  Subject subject("start_hangs", options);
  const auto begun = router::Clock::now();
  const auto started = subject.instance().start({}, {});
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == StatusCode::kDeadlineExceeded);
  CHECK(router::Clock::now() - begun >= 200ms);
  CHECK(router::Clock::now() - begun < 5s);
  CHECK(subject.call().code == StatusCode::kUnavailable);
  CHECK(subject.stop(100ms) == "cannot stop the module \"start_hangs\": its start never returned");
}

}  // namespace
}  // namespace longshore::hostile
