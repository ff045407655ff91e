#include "observe/log.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
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

TEST_CASE("Reopening standard error does nothing") { CHECK(open("")->reopen().ok()); }

TEST_CASE("A file that cannot be opened is an error that names it") {
  const test::TemporaryDirectory folder;
  const auto log = Log::open({.file = folder.path()});
  REQUIRE_FALSE(log.ok());
  CHECK(log.error().code() == StatusCode::kFailedPrecondition);
  CHECK(log.error().message().starts_with("cannot open the log file \"" + folder.path().string() +
                                          '"'));
}

TEST_CASE("A full disk loses the line and stops nothing") {
  if (::access("/dev/full", W_OK) != 0) return;
  const auto log = open("/dev/full");
  log->error("lost");
  log->error("lost too");
  CHECK(log->enabled(Level::kError));
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
