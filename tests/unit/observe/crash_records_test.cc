// Where records of crashes may lie.
#include "observe/crash_records.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/temporary_directory.h"

namespace longshore::observe {
namespace {

TEST_CASE("A crash record is made in the state directory, and no link is followed to it") {
  const test::TemporaryDirectory state;
  const test::TemporaryDirectory elsewhere;
  SECTION("a folder of its own") {
    const auto record = prepare_crash_record(state.path(), "longshored", nullptr);
    REQUIRE(record);
    const FileDescriptor file(*record);
    CHECK_FALSE(std::filesystem::is_empty(state / "crashes"));
  }
  SECTION("a link in its place") {
    std::filesystem::create_symlink(elsewhere.path(), state / "crashes");
    CHECK_FALSE(prepare_crash_record(state.path(), "longshored", nullptr));
    CHECK_FALSE(add_crash_record(state.path(), "longshore-modulehost", 1, "signal: SIGSEGV\n"));
  }
  SECTION("a state directory that others can change") {
    REQUIRE(::chmod(state.path().c_str(), 0777) == 0);
    const auto record = prepare_crash_record(state.path(), "longshored", nullptr);
    REQUIRE_FALSE(record);
    CHECK(record.error().code() == StatusCode::kPermissionDenied);
    CHECK_FALSE(std::filesystem::exists(state / "crashes"));
  }
  CHECK(std::filesystem::is_empty(elsewhere.path()));
}

TEST_CASE("Where no crash record was ever made, there is none") {
  const test::TemporaryDirectory folder;
  const auto records = list_crash_records(folder / "state");
  REQUIRE(records);
  CHECK(records->empty());
}

}  // namespace
}  // namespace longshore::observe
