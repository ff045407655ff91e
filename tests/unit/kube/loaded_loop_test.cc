// longshore-kube.so as the agent loads it.
#include "kube/loaded_loop.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;

bool has_no_epoll = false;

Error refusal(const std::string& file) {
  const auto loop = load_loop(file, {});
  REQUIRE_FALSE(loop);
  return loop.error();
}

}  // namespace

// The C library's, unless a test has none left. Without any descriptor UBSan would not work either.
extern "C" [[gnu::visibility("default")]] int epoll_create1(int flags) noexcept {
  if (!has_no_epoll) return static_cast<int>(::syscall(SYS_epoll_create1, flags));
  errno = EMFILE;
  return -1;
}

TEST_CASE("The client of API servers is loaded, and runs what is posted") {
  const auto loop = load_loop(test::built_program("longshore-kube.so"), {});
  INFO((loop ? "" : loop.error().message()));
  REQUIRE(loop);
  bool is_run = false;
  (*loop)->post([&] {
    is_run = true;
    (*loop)->stop();
  });
  (*loop)->run();
  CHECK(is_run);
  const auto access = (*loop)->access({.kubeconfig = "/nonesuch"});
  REQUIRE_FALSE(access);
  CHECK_THAT(access.error().message(), Contains("/nonesuch"));
}

TEST_CASE("What a loop lacks is told as the system says it") {
  has_no_epoll = true;
  const Error error = refusal(test::built_program("longshore-kube.so"));
  has_no_epoll = false;
  CHECK_THAT(error.message(), Contains("Too many open files"));
}

TEST_CASE("Where the client of API servers is not installed, the package is told") {
  const Error error = refusal("/nonesuch/longshore-kube.so");
  CHECK(error.code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(error.message(), Contains("\"/nonesuch/longshore-kube.so\"") &&
                                  Contains("install the package longshore-sidecars"));
}

TEST_CASE("What is no client of this agent's version is not loaded") {
  const test::TemporaryDirectory directory;
  const std::string file = directory / "longshore-kube.so";
  SECTION("no library") {
    std::ofstream(file) << "text";
    CHECK_THAT(refusal(file).message(), Contains("cannot load the client of API servers"));
  }
  SECTION("a library without a version") {
    std::filesystem::copy_file(test::built_modules() + "/longshore-echo.so", file);
    CHECK_THAT(refusal(file).message(), Contains("it is of version unknown"));
  }
  SECTION("of the same version, made of other headers") {
    const std::string said = refusal(test::built_modules() + "/longshore-echo.so").message();
    const std::string agent = ", and this agent of ";
    const size_t begin = said.find(agent) + agent.size();
    const std::string version = said.substr(begin, said.find(';', begin) - begin);
    std::stringstream content;
    content << std::ifstream(test::built_program("longshore-kube.so")).rdbuf();
    std::string library = std::move(content).str();
    const size_t at = library.find(version);
    REQUIRE(at != std::string::npos);
    char& last = library[at + version.size() - 1];
    last = last == '0' ? '1' : '0';
    std::ofstream(file) << library;
    CHECK_THAT(
        refusal(file).message(),
        Contains("it is of version " + library.substr(at, version.size()) + agent + version));
  }
  SECTION("others may write it") {
    std::filesystem::copy_file(test::built_program("longshore-kube.so"), file);
    std::filesystem::permissions(file, std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
    CHECK_THAT(refusal(file).message(), Contains(file));
  }
}

}  // namespace longshore::kube
