// The files in which the agent remembers: .crash-markers and .audit-missing-lines.
#include "files/marker_file.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

namespace longshore::files {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

struct Marked {
  // That nothing in the place of the file is taken for it.
  void check_refused(const std::string& reason) const {
    const auto marker = MarkerFile::open(path);
    REQUIRE_FALSE(marker);
    CHECK_THAT(marker.error().message(), Contains(reason));
  }

  test::TemporaryDirectory directory;
  const std::string folder = directory / "state";
  const std::string path = folder + "/.marker";
  const std::string victim = directory / "victim";
};

TEST_CASE_METHOD(Marked, "A marker file and its folder are made, and keep what was written last") {
  {
    const auto marker = MarkerFile::open(path);
    REQUIRE(marker);
    CHECK((*marker)->read().empty());
    REQUIRE((*marker)->write("a long text", true));
    REQUIRE((*marker)->write("short", false));
    CHECK((*marker)->read() == "short");
  }
  CHECK((fs::status(path).permissions() & fs::perms::all) == fs::perms(0600));
  const auto next = MarkerFile::open(path);
  REQUIRE(next);
  CHECK((*next)->read() == "short");
}

TEST_CASE_METHOD(Marked, "A marker file that takes only a part says why") {
  const auto marker = MarkerFile::open(path);
  REQUIRE(marker);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  errno = 0;
  const auto written = (*marker)->write(std::string(5000, 'x'), false);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  REQUIRE_FALSE(written);
  CHECK(written.error().system() == std::errc::file_too_large);
}

TEST_CASE_METHOD(Marked, "A link in the place of a marker file is not followed") {
  fs::create_directory(folder);
  const bool is_there = GENERATE(true, false);
  CAPTURE(is_there);
  if (is_there) test::write_file(victim, "precious");
  fs::create_symlink(victim, path);
  check_refused("it is a link, which is not followed");
  CHECK(fs::is_symlink(path));
  CHECK(fs::exists(victim) == is_there);
  if (is_there) CHECK(test::read_file(victim) == "precious");
}

TEST_CASE_METHOD(Marked, "What is not a regular file is no marker file, and holds up nobody") {
  fs::create_directory(folder);
  SECTION("a FIFO") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    check_refused("it is not a regular file");
  }
  SECTION("a folder") {
    fs::create_directory(path);
    check_refused("Is a directory");
  }
}

TEST_CASE_METHOD(Marked, "A folder that others can write has no marker file") {
  fs::create_directory(folder);
  SECTION("by its mode") { REQUIRE(::chmod(folder.c_str(), 0777) == 0); }
  SECTION("by its owner") { REQUIRE(::chown(folder.c_str(), 65534, 65534) == 0); }
  check_refused("cannot trust");
  CHECK_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace longshore::files
