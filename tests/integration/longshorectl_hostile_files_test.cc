// longshorectl with files that are anything but what they should be: nothing of them reaches the
// terminal, and it takes no more memory for them.
#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "observe/audit_chain.h"
#include "tests/integration/hostile_text.h"
#include "tests/support/build_tree.h"
#include "tests/support/is_thorough.h"
#include "tests/support/program_run.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

// The same as a part of one line, and no UTF-8.
std::string hostile_line() {
  std::string line = kHostile + "\xff";
  std::erase(line, '\n');
  return line;
}

// Each byte that there is, and so none of any text's.
std::string binary() {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i % 256);
  return bytes;
}

// A file without a line end that takes no room on the disk.
void make_huge(const std::string& file) {
  write_file(file, "");
  fs::resize_file(file, size_t{512} << 20);
}

// An audit log in whose lines everything that `audit verify` tells is hostile, with another chain.
std::string hostile_audit_log() {
  observe::AuditLink link;
  const std::string hostile = hostile_line();
  return observe::sealed(R"({"event":"opened","chain":")" + hostile + "\"}", link) + '\n' +
         observe::sealed(R"({"event":"begin","call":"1","request_id":")" + hostile +
                             R"(","method":")" + hostile + "\"}",
                         link) +
         '\n' + kHostile + '\n';
}

struct FileReader {
  ProgramRun run(std::vector<std::string> words) const {
    words.insert(words.begin(), built_program("longshorectl"));
    if (json) words.insert(words.end(), {"--output", "json"});
    ProgramRun run = run_program(words);
    // However big the file is.
    CHECK(run.output.size() + run.errors.size() < size_t{1} << 20);
    return run;
  }

  const bool json = GENERATE(false, true);
  const TemporaryDirectory directory;
};

}  // namespace

TEST_CASE_METHOD(FileReader, "Whatever the record of a crash is, it drives no terminal") {
  const std::string folder = directory / "crashes/";
  fs::create_directory(folder);
  std::string fields;
  for (const char* key : {"time", "signal", "module", "method", "request"}) {
    fields += key + (": " + hostile_line()) + '\n';
  }
  const std::vector<std::string> records = {"1-" + kHostile, "2-fields", "3-binary", "4-huge"};
  write_file(folder + records[0], kHostile);
  write_file(folder + records[1], fields);
  write_file(folder + records[2], binary());
  make_huge(folder + records[3]);
  // None of these is a record, and none is waited for.
  write_file(directory / "secret", "swordfish");
  fs::create_symlink(directory / "secret", folder + "5-link");
  REQUIRE(::mkfifo((folder + "6-fifo").c_str(), 0600) == 0);
  fs::create_directory(folder + "7-folder");

  const ProgramRun list = run({"crashes", "--state-dir", directory.path()});
  CHECK(list.exit_code == 0);
  check_harmless(list.output);
  CHECK(list.errors.empty());
  if (json) CHECK_THAT(list.output, Catch::StartsWith("{\"crashes\":[{\"name\":\"1-x"));
  CHECK_THAT(list.output, Catch::Contains("4-huge") && !Catch::Contains("5-link") &&
                              !Catch::Contains("swordfish") && !Catch::Contains("6-fifo") &&
                              !Catch::Contains("7-folder"));
  for (const std::string& record : records) {
    CAPTURE(record);
    const ProgramRun one = run({"crashes", "--state-dir", directory.path(), record});
    CHECK(one.exit_code == 0);
    CHECK_FALSE(one.output.empty());
    CHECK(text::escaped_lines(one.output) == one.output);  // its lines are the record's
    CHECK(one.errors.empty());
  }
  const ProgramRun none = run({"crashes", "--state-dir", directory / kHostile, kHostile});
  CHECK(none.exit_code == 2);
  check_harmless(none.errors);
}

TEST_CASE_METHOD(FileReader, "Whatever an audit log is, verifying it is bounded and harmless") {
  const std::vector<std::string> files = {directory / kHostile, directory / "binary",
                                          directory / "huge", directory / "lines"};
  write_file(files[0], hostile_audit_log());
  write_file(files[1], binary());
  make_huge(files[2]);
  write_file(files[3], std::string(size_t{1} << 20, '\n'));
  for (const std::string& file : files) {
    for (const std::string& journal : files) {
      if (!is_thorough() && file != files[0] && journal != files[0]) continue;  // each kind once
      CAPTURE(file, journal);
      const ProgramRun verified = run({"audit", "verify", file, "--journal", journal});
      CHECK(verified.exit_code == 2);
      check_harmless(verified.output);
      CHECK(verified.errors.empty());
      if (json) CHECK_THAT(verified.output, Catch::StartsWith("{\"ok\":false,\"lines\":"));
      if (!json) CHECK_THAT(verified.output, Catch::Contains("NOT WHOLE"));
    }
  }
  // Nobody waits for these, and one of them has no end.
  const std::string fifo = directory / "fifo";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& file : {fifo, std::string("/dev/zero"), directory.path().string()}) {
    CAPTURE(file);
    for (const auto& words : {std::vector<std::string>{"audit", "verify", file},
                              {"audit", "verify", files[0], "--journal", file}}) {
      const ProgramRun refused = run(words);
      CHECK(refused.exit_code == 2);
      CHECK_THAT(refused.errors, Catch::Contains("it is not a regular file"));
    }
  }
  const ProgramRun called = run({"call", "acme.Shelf/Get", "@/dev/zero"});
  CHECK(called.exit_code == 2);
  CHECK_THAT(called.errors, Catch::Contains("it is longer than"));
  const ProgramRun diff = run_program(
      {"/bin/sh", "-c", "exec \"$0\" config diff < /dev/zero", built_program("longshored")});
  CHECK(diff.exit_code == 2);
  CHECK_THAT(diff.errors, Catch::Contains("it is longer than any is"));
  const ProgramRun none = run({"audit", "verify", directory / ("no" + kHostile)});
  CHECK(none.exit_code == 2);
  check_harmless(none.errors);
  // In KiB, of each program that this one has run.
  rusage used{};
  REQUIRE(::getrusage(RUSAGE_CHILDREN, &used) == 0);
  CHECK(used.ru_maxrss < 256 << 10);
}
