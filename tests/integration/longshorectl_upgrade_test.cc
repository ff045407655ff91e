// `longshorectl upgrade` and `longshorectl modules MODULE`, as an administrator sees them.
#include <catch2/catch.hpp>
#include <filesystem>

#include "longshorectl_run.h"
#include "tests/support/build_tree.h"
#include "tests/support/other_build.h"

using namespace longshore::test;
using Catch::Matchers::Contains;

TEST_CASE("upgrade tells what runs now, what ran before, and how long that holds") {
  const Served served;
  const std::string other = served.directory / "longshore-echo-2.so";
  write_other_build(built_module("echo"), other);
  const auto given = served.run({"upgrade", "echo", other});
  CHECK(given.errors == "");
  CHECK(given.exit_code == 0);
  CHECK(given.output == "echo runs " + other +
                            " (version 9.9.9) now, version 0.1.0 before\n"
                            "until the next reload or restart, which go by the configuration\n");
  const auto back = served.run({"upgrade", "echo"});
  CHECK(back.output == "echo runs " + built_modules() +
                           "/longshore-echo.so (version 0.1.0) now, version 9.9.9 before\n");
  CHECK_THAT(served.run({"upgrade", "echo"}).output, Contains("already; nothing was changed"));
  const auto json = served.run({"--output", "json", "upgrade", "echo", other});
  CHECK_THAT(json.output, Contains("\"changed\":true") && Contains("\"version\":\"9.9.9\""));
}

TEST_CASE("upgrade says why it did not, and the module goes on") {
  const Served served;
  const auto none = served.run({"upgrade", "echo", served.directory / "none.so"});
  CHECK(none.exit_code == 4);
  CHECK_THAT(none.errors, Contains("none.so"));
  const auto misspelt = served.run({"upgrade", "ecko"});
  CHECK(misspelt.exit_code == 4);
  CHECK_THAT(misspelt.errors, Contains("NOT_FOUND") && Contains("did you mean echo?"));
  CHECK(served.run({"upgrade"}).exit_code == 1);
  CHECK_THAT(served.run({"modules", "echo"}).output, Contains("serving"));
}

TEST_CASE("upgrade finds a file that is named relative to where one is") {
  const Served served;
  const std::string other = served.directory / "longshore-echo-2.so";
  write_other_build(built_module("echo"), other);
  const std::string relative = std::filesystem::relative(other);
  CHECK_THAT(served.run({"upgrade", "echo", relative}).output, Contains("version 9.9.9) now"));
}

TEST_CASE("modules shows all of one, with the steps of its life") {
  const Served served;
  const auto run = served.run({"modules", "echo"});
  CHECK(run.exit_code == 0);
  for (const char* step : {"found", "inspected", "loaded", "created", "started"}) {
    CHECK_THAT(run.output, Contains(std::string("\n") + step + " "));
  }
  CHECK_THAT(run.output, Contains("violations") && Contains("none") && Contains("sha256"));
  const auto unknown = served.run({"modules", "nosuch"});
  CHECK(unknown.exit_code == 4);
  CHECK_THAT(unknown.errors, Contains("NOT_FOUND"));
}
