#include "core/crash_markers.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_directory.h"

namespace longshore::core {
namespace {

using Catch::Matchers::Contains;
using Record = CrashMarkers::Record;

struct State {
  std::unique_ptr<CrashMarkers> open() const {
    auto markers = CrashMarkers::open(directory / "state", *log);
    INFO((markers ? "" : markers.error().message()));
    REQUIRE(markers);
    return std::move(*markers);
  }

  std::string text() const {
    std::ifstream file(directory / "state/.crash-markers");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  loader::ModuleFacts facts(char digit) const {
    loader::ModuleFacts facts;
    facts.path = "/usr/lib/longshore/longshore-disk.so";
    facts.sha256 = std::string(64, digit);
    return facts;
  }

  test::TemporaryDirectory directory;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
};

TEST_CASE_METHOD(State, "A start that comes back leaves no mark") {
  const auto markers = open();
  REQUIRE(markers->begin("disk", facts('a')));
  CHECK_THAT(text(), Contains("starting 0 " + std::string(64, 'a') + " disk load /usr/lib"));
  markers->reach("start");
  CHECK_THAT(text(), Contains(" disk start "));
  markers->end();
  CHECK(text().empty());
}

TEST_CASE_METHOD(State, "Two ends of the agent in a row quarantine the file, and tell what to do") {
  {
    const auto markers = open();
    REQUIRE(markers->begin("disk", facts('a')));
  }
  {
    const auto markers = open();
    REQUIRE(markers->begin("disk", facts('a')));
    markers->reach("start");
  }
  const auto markers = open();
  const auto refused = markers->begin("disk", facts('a'));
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Contains("quarantined") && Contains("2 times in a row") &&
                                            Contains("\"start\"") &&
                                            Contains("longshorectl upgrade disk"));
  CHECK(markers->begin("volume", facts('c')));  // others are not concerned
  markers->end();
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
    markers->end();
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

TEST_CASE_METHOD(State, "A file that has come back is not marked again in this agent's life") {
  const auto markers = open();
  REQUIRE(markers->begin("disk", facts('a')));
  markers->end();
  REQUIRE(markers->begin("disk", facts('a')));
  CHECK(text().empty());
}

TEST_CASE_METHOD(State, "The mark of code that does not come back stays until the agent ends") {
  const std::string left = "starting 0 " + std::string(64, 'a');
  const auto markers = open();
  REQUIRE(markers->begin("disk", facts('a')));
  markers->leave();
  REQUIRE(markers->begin("volume", facts('b')));
  markers->end();
  CHECK_THAT(text(), Contains(left) && !Contains(std::string(64, 'b')));
  REQUIRE(markers->begin("disk", facts('a')));  // once more, while the first thread is inside
  markers->end();
  CHECK_THAT(text(), Contains(left));
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
  markers->end();
  CHECK_FALSE(markers->is_suspected(std::string(64, 'a')));
}

TEST_CASE("Marks are read as they are written, and what is none is left out") {
  const std::vector<Record> records = {
      {true, 0, std::string(64, '1'), "disk", "load", "/a path/with spaces.so"},
      {false, 7, std::string(64, '2'), "volume", "start", "/b.so"}};
  CHECK(CrashMarkers::parse(CrashMarkers::format(records)) == records);
  for (const std::string text :
       {"", "\n\n", "starting", "starting x", "starting 1 abc disk load /x",
        "sleeping 1 2222222222222222222222222222222222222222222222222222222222222222 a b /c",
        "crashed -1 2222222222222222222222222222222222222222222222222222222222222222 a b /c"}) {
    INFO(text);
    CHECK(CrashMarkers::parse(text).empty());
  }
  std::string many;
  for (int i = 0; i < 1000; ++i) many += CrashMarkers::format(records);
  CHECK(CrashMarkers::parse(many).size() <= 64);
  Record evil = records[0];
  evil.path = "/x\nstarting 9 " + std::string(64, '3') + " disk load /y";
  CHECK(CrashMarkers::parse(CrashMarkers::format({evil})).size() == 1);
}

}  // namespace
}  // namespace longshore::core
