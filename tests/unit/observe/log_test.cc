#include "observe/log.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temporary_directory.h"
#include "tests/unit/observe/log_lines.h"

namespace longshore::observe {
namespace {

using test::lines_of;
using test::messages_of;

std::unique_ptr<Log> open(const std::string& file, Format format = Format::kText) {
  auto log = Log::open({.level = Level::kInfo, .format = format, .file = file});
  REQUIRE(log.ok());
  return std::move(log).value();
}

TEST_CASE("Lines are in the file when write returns, those below the level are not") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log");
  log->debug("not this");
  log->info("first", {{"a", "1"}});
  log->warning("second");
  log->error("third");
  CHECK(messages_of(folder / "log") ==
        std::vector<std::string>{"INFO  first a=1", "WARN  second", "ERROR third"});
}

TEST_CASE("Others than its owner and group have no part in the file, not in an old one either") {
  const test::TemporaryDirectory folder;
  const auto mode = [&](const char* name) {
    return std::filesystem::status(folder / name).permissions() & std::filesystem::perms::all;
  };
  const mode_t before = ::umask(0);
  const auto made = open(folder / "new");
  ::umask(before);
  CHECK(mode("new") == std::filesystem::perms(0640));
  std::ofstream(folder / "old") << "a line\n";
  std::filesystem::permissions(folder / "old", std::filesystem::perms(0666));
  const auto opened = open(folder / "old");
  CHECK(mode("old") == std::filesystem::perms(0640));
  CHECK(lines_of(folder / "old") == std::vector<std::string>{"a line"});
}

TEST_CASE("The level can be changed while the log is in use") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log");
  CHECK_FALSE(log->enabled(Level::kDebug));
  log->set_level(Level::kDebug);
  CHECK(log->enabled(Level::kDebug));
  CHECK(log->level() == Level::kDebug);
  log->debug("now");
  log->set_level(Level::kError);
  log->warning("no more");
  CHECK(messages_of(folder / "log") == std::vector<std::string>{"DEBUG now"});
}

TEST_CASE("A log in JSON writes one object a line") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log", Format::kJson);
  log->info("two\nlines", {{"k", "v"}});
  const auto lines = lines_of(folder / "log");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("{\"time\":\""));
  CHECK(lines[0].ends_with(R"(","level":"info","message":"two\nlines","k":"v"})"));
}

TEST_CASE("What looks like a formatting pattern is written as it came") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log");
  log->info("%v {} {0} %n %s", {{"k", "%t{}"}});
  CHECK(messages_of(folder / "log") == std::vector<std::string>{"INFO  %v {} {0} %n %s k=%t{}"});
}

TEST_CASE("An existing file is appended to") {
  const test::TemporaryDirectory folder;
  test::write_file(folder / "log", "of yesterday\n");
  open(folder / "log")->info("of today");
  CHECK(messages_of(folder / "log") == std::vector<std::string>{"of yesterday", "INFO  of today"});
}

TEST_CASE("After logrotate moved the file away, reopen goes on in a new one") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log");
  log->info("before");
  std::filesystem::rename(folder / "log", folder / "log.1");
  log->info("between");
  REQUIRE(log->reopen().ok());
  log->info("after");
  CHECK(messages_of(folder / "log.1") == std::vector<std::string>{"INFO  before", "INFO  between"});
  CHECK(messages_of(folder / "log") == std::vector<std::string>{"INFO  after"});
}

TEST_CASE("When reopening fails the log goes on in the old file") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log");
  std::filesystem::rename(folder / "log", folder / "log.1");
  std::filesystem::create_directory(folder / "log");
  const auto reopened = log->reopen();
  REQUIRE_FALSE(reopened.ok());
  CHECK(reopened.error().message().find(folder / "log") != std::string::npos);
  log->info("still here");
  CHECK(messages_of(folder / "log.1") == std::vector<std::string>{"INFO  still here"});
}

TEST_CASE("A link that is put in the file's place is not followed when the log is opened anew") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log");
  std::filesystem::rename(folder / "log", folder / "log.1");
  test::write_file(folder / "victim", "precious\n");
  std::filesystem::permissions(folder / "victim", std::filesystem::perms(0666));
  std::filesystem::create_symlink(folder / "victim", folder / "log");
  const auto reopened = log->reopen();
  REQUIRE_FALSE(reopened.ok());
  CHECK_THAT(reopened.error().message(), Catch::Contains("it is a link, which is not followed"));
  log->info("still here");
  CHECK(messages_of(folder / "log.1") == std::vector<std::string>{"INFO  still here"});
  CHECK(lines_of(folder / "victim") == std::vector<std::string>{"precious"});
  CHECK(std::filesystem::status(folder / "victim").permissions() == std::filesystem::perms(0666));
}

TEST_CASE("Reopening standard error does nothing") { CHECK(open("")->reopen().ok()); }

TEST_CASE("A file that cannot be opened is an error that names it") {
  const test::TemporaryDirectory folder;
  const auto log = Log::open({.file = folder.path()});
  REQUIRE_FALSE(log.ok());
  CHECK(log.error().code() == StatusCode::kFailedPrecondition);
  CHECK(log.error().message().starts_with("cannot open the log file \"" + folder.path().string() +
                                          '"'));
}

TEST_CASE("A folder that is missing is made for the log, and again when it is opened anew") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "a/b/log");
  log->info("first");
  CHECK(messages_of(folder / "a/b/log") == std::vector<std::string>{"INFO  first"});
  CHECK((std::filesystem::status(folder / "a/b").permissions() & std::filesystem::perms::all) ==
        std::filesystem::perms(0750));
  std::filesystem::remove_all(folder / "a");
  REQUIRE(log->reopen());
  log->info("second");
  CHECK(messages_of(folder / "a/b/log") == std::vector<std::string>{"INFO  second"});
}

TEST_CASE("A full disk loses the line and stops nothing") {
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
  log->error("lost");
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  log->error("kept");
  CHECK(messages_of(folder / "log") == std::vector<std::string>{"ERROR kept"});
}

TEST_CASE("A log file is no link and no device, nor in a folder that others can change") {
  const test::TemporaryDirectory folder;
  std::string file = folder / "log";
  std::string why;
  SECTION("a link") {
    test::write_file(folder / "victim", "mine");
    std::filesystem::create_symlink(folder / "victim", file);
    why = "it is a link, which is not followed";
  }
  SECTION("a device") {
    file = "/dev/null";
    why = "it is not a regular file";
  }
  SECTION("a folder") {
    REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
    why = "others may write to it";
  }
  const auto log = Log::open({.file = file});
  REQUIRE_FALSE(log.ok());
  CHECK(log.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(log.error().message(), Catch::Contains("cannot open the log file \"" + file + "\"") &&
                                        Catch::Contains(why) &&
                                        Catch::Contains("or none for standard error"));
}

TEST_CASE("Lines of many threads come whole, through reopening too") {
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  const test::TemporaryDirectory folder;
  const auto log = open(folder / "log");
  const std::string filling(300, 'x');
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kLines; ++i) log->info(filling, {{"k", "v"}});
    });
  }
  bool reopened = true;
  for (int i = 0; i < 20; ++i) reopened = log->reopen().ok() && reopened;
  for (std::thread& thread : threads) thread.join();
  CHECK(reopened);
  const auto messages = messages_of(folder / "log");
  CHECK(messages.size() == kThreads * kLines);
  const std::string expected = "INFO  " + filling + " k=v";
  CHECK(std::count(messages.begin(), messages.end(), expected) == kThreads * kLines);
}

}  // namespace
}  // namespace longshore::observe
