// Files that the agent is to write, as `--check` finds them.
#include "main/file_findings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

#include "tests/support/temporary_directory.h"

namespace longshore {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using Catch::StartsWith;

config::Loaded settings(const std::string& log, const std::string& audit) {
  config::Loaded loaded;
  loaded.configuration.files = {"agent.toml", "conf.d/own.toml"};
  loaded.configuration.agent.log.file = log;
  loaded.configuration.agent.audit.file = audit;
  loaded.origins["agent.log.file"].place = {0, 3, 8};
  loaded.origins["agent.audit.file"].place = {1, 2, 9};
  return loaded;
}

TEST_CASE("A file that the agent could open or make is no finding, and is left as it is") {
  const test::TemporaryDirectory folder;
  test::write_file(folder / "audit", "line\n");
  CHECK(file_findings(settings("", "")).empty());
  CHECK(file_findings(settings(folder / "log", folder / "audit")).empty());
  CHECK_FALSE(fs::exists(folder / "log"));
  CHECK(fs::file_size(folder / "audit") == 5);
}

TEST_CASE("A folder that is missing is made for the log, and not for the audit log") {
  const test::TemporaryDirectory folder;
  const auto findings = file_findings(settings(folder / "no/log", folder / "no/audit"));
  REQUIRE(findings.size() == 1);
  CHECK_THAT(findings[0],
             StartsWith("conf.d/own.toml:2:9: agent.audit.file: ") && Contains(folder / "no"));
  CHECK_FALSE(fs::exists(folder / "no"));
}

TEST_CASE("What cannot be opened is a finding that names its key") {
  const test::TemporaryDirectory folder;
  const std::string kind = GENERATE("folder", "link", "open");
  CAPTURE(kind);
  fs::create_directory(folder / "place");
  const std::string file = folder / "place/file";
  if (kind == "folder") fs::create_directory(file);
  if (kind == "link") fs::create_symlink("elsewhere", file);
  if (kind == "open") REQUIRE(::chmod((folder / "place").c_str(), 0777) == 0);
  const auto findings = file_findings(settings(file, file));
  REQUIRE(findings.size() == 2);
  CHECK_THAT(findings[0],
             StartsWith("agent.toml:3:8: agent.log.file: ") && Contains(folder / "place"));
  CHECK_THAT(findings[1],
             StartsWith("conf.d/own.toml:2:9: agent.audit.file: ") && Contains(folder / "place"));
}

TEST_CASE("What an ordinary user may not look at is no finding") {
  if (::geteuid() != 0) {
    std::cout << "SKIPPED: needs root\n";
    return;
  }
  constexpr uid_t kNobody = 65534;
  const test::TemporaryDirectory folder;
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  fs::create_directory(folder / "closed");
  REQUIRE(::chmod((folder / "closed").c_str(), 0700) == 0);
  test::write_file(folder / "closed/file", "");
  test::write_file(folder / "file", "");
  REQUIRE(::chmod((folder / "file").c_str(), 0600) == 0);
  REQUIRE(::seteuid(kNobody) == 0);
  const auto closed = file_findings(settings("", folder / "closed/file"));
  const auto unreadable = file_findings(settings("", folder / "file"));
  const auto unmade = file_findings(settings("", folder / "new"));
  REQUIRE(::seteuid(0) == 0);
  CHECK(closed.empty());
  CHECK(unreadable.empty());
  CHECK(unmade.empty());
}

}  // namespace
}  // namespace longshore
