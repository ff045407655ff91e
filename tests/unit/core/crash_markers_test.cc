#include "core/crash_markers.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/support/temporary_directory.h"

namespace longshore::core {
namespace {

using Catch::Matchers::Contains;

struct State {
  std::unique_ptr<CrashMarkers> open() const {
    auto markers = CrashMarkers::open(directory / "state", *log);
    INFO((markers ? "" : markers.error().message()));
    REQUIRE(markers);
    return std::move(*markers);
  }

  // The lines that are not empty.
  std::string text() const {
    std::ifstream file(directory / "state/.crash-markers");
    std::string lines;
    for (std::string line; std::getline(file, line);) {
      if (!line.empty()) lines += line + '\n';
    }
    return lines;
  }

  loader::ModuleFacts facts(char digit) const {
    loader::ModuleFacts facts;
    facts.path = "/usr/lib/longshore/longshore-disk.so";
    facts.sha256 = std::string(64, digit);
    return facts;
  }

  test::TemporaryDirectory directory;
  std::string logged;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [this](observe::Level, std::string_view line) {
        logged += line;
      }}).value();
};

TEST_CASE_METHOD(State, "A start that comes back leaves no mark") {
  const auto markers = open();
  REQUIRE(markers->begin("disk", facts('a')));
  CHECK(text() == "1 " + std::string(64, 'a') + " disk /usr/lib/longshore/longshore-disk.so\n");
  markers->end(std::string(64, 'a'));
  CHECK(text().empty());
}

TEST_CASE_METHOD(State, "Two ends of the agent in a row quarantine the file, and tell what to do") {
  REQUIRE(open()->begin("disk", facts('a')));
  REQUIRE(open()->begin("disk", facts('a')));
  const auto markers = open();
  const auto refused = markers->begin("disk", facts('a'));
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Contains("quarantined") && Contains("2 times in a row") &&
                                            Contains("longshorectl upgrade disk"));
  CHECK(markers->begin("volume", facts('c')));  // others are not concerned
}

TEST_CASE_METHOD(State, "A quarantine outlives agents, and ends with another file or a release") {
  for (int crash = 0; crash < CrashMarkers::kMostCrashes; ++crash) {
    REQUIRE(open()->begin("disk", facts('a')));
  }
  CHECK_FALSE(open()->begin("disk", facts('a')));
  CHECK_FALSE(open()->begin("disk", facts('a')));
  SECTION("another file") {
    const auto markers = open();
    CHECK(markers->begin("disk", facts('b')));
    markers->end(std::string(64, 'b'));
    CHECK(text().empty());
  }
  SECTION("a release, which one more crash takes back") {
    {
      const auto markers = open();
      markers->release(std::string(64, 'a'));
      CHECK(markers->begin("disk", facts('a')));
    }
    CHECK_FALSE(open()->begin("disk", facts('a')));
  }
}

TEST_CASE_METHOD(State, "An end in order between two crashes begins the count anew") {
  REQUIRE(open()->begin("disk", facts('a')));
  {
    const auto markers = open();
    REQUIRE(markers->begin("disk", facts('a')));
    markers->close();
    CHECK(markers->begin("disk", facts('a')));  // by another thread, which does not know of the end
    CHECK(text().empty());
  }
  REQUIRE(open()->begin("disk", facts('a')));
  CHECK(open()->begin("disk", facts('a')));
}

TEST_CASE_METHOD(State, "An agent that ends while a file waits to be started counts no crash") {
  {
    const auto markers = open();
    REQUIRE(markers->begin("disk", facts('a')));
    markers->pause(std::string(64, 'a'));
    CHECK(text().empty());
    REQUIRE(markers->begin("disk", facts('a')));
  }
  {
    const auto markers = open();
    REQUIRE(markers->begin("disk", facts('a')));
    markers->pause(std::string(64, 'a'));  // nor does it forget the crash before it
  }
  REQUIRE(open()->begin("disk", facts('a')));
  CHECK_FALSE(open()->begin("disk", facts('a')));
}

TEST_CASE_METHOD(State, "The mark of a file is touched by no other's, and stays until it ends") {
  const auto markers = open();
  REQUIRE(markers->begin("disk", facts('a')));
  REQUIRE(markers->begin("volume", facts('b')));
  markers->end(std::string(64, 'b'));
  markers->end(std::string(64, 'c'));
  CHECK_THAT(text(), Contains("1 " + std::string(64, 'a')) && !Contains(std::string(64, 'b')));
  markers->close();
  CHECK(text().empty());
}

TEST_CASE_METHOD(State, "A file is suspected from a crash on, until it has come back") {
  CHECK_FALSE(open()->is_suspected(std::string(64, 'a')));
  REQUIRE(open()->begin("disk", facts('a')));
  const auto markers = open();
  CHECK(markers->is_suspected(std::string(64, 'a')));
  CHECK_FALSE(markers->is_suspected(std::string(64, 'b')));
  REQUIRE(markers->begin("disk", facts('a')));
  markers->end(std::string(64, 'a'));
  CHECK_FALSE(markers->is_suspected(std::string(64, 'a')));
}

TEST_CASE_METHOD(State, "A release of a file that is not quarantined takes no try from it") {
  const auto markers = open();
  REQUIRE(markers->begin("disk", facts('a')));
  markers->release(std::string(64, 'a'));
  CHECK_FALSE(markers->is_suspected(std::string(64, 'a')));
}

TEST_CASE_METHOD(State, "What is no mark is left out, and the log says so") {
  open();  // makes the folder
  const std::string sha256(64, 'a');
  const std::string strange = GENERATE_COPY(values<std::string>(
      {"starting 2 " + sha256 + " disk start /of/an/older/version.so", "0 " + sha256 + " disk /x",
       "-1 " + sha256 + " disk /x", "99999999999999 " + sha256 + " disk /x", "2 abc disk /x",
       "2 " + sha256, "2", std::string(5000, '\0'), " "}));
  CAPTURE(strange);
  std::ofstream(directory / "state/.crash-markers")
      << strange << "\n2 " << std::string(64, 'b') << " volume /a path/with spaces.so\n";
  const auto markers = open();
  CHECK_THAT(logged, Contains("is not understood") && Contains("lines=1"));
  CHECK(markers->begin("disk", facts('a')));
  CHECK_FALSE(markers->begin("volume", facts('b')));
  CHECK_THAT(text(), Contains("volume /a path/with spaces.so\n"));
}

TEST_CASE_METHOD(State, "A path with an end of line makes no further mark") {
  loader::ModuleFacts evil = facts('a');
  evil.path = "/x\n9 " + std::string(64, 'b') + " volume /y";
  REQUIRE(open()->begin("disk", evil));
  CHECK(open()->begin("volume", facts('b')));
  CHECK(logged.find("is not understood") == std::string::npos);
}

}  // namespace
}  // namespace longshore::core
