// longshore-kube.so as the agent loads it.
#include "kube/loaded_loop.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"

namespace longshore::kube {
namespace {

using Catch::Matchers::Contains;

Error refusal(const std::string& file) {
  const auto loop = load_loop(file, {});
  REQUIRE_FALSE(loop);
  return loop.error();
}

}  // namespace

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
  SECTION("others may write it") {
    std::filesystem::copy_file(test::built_program("longshore-kube.so"), file);
    std::filesystem::permissions(file, std::filesystem::perms::others_write,
                                 std::filesystem::perm_options::add);
    CHECK_THAT(refusal(file).message(), Contains(file));
  }
}

}  // namespace longshore::kube
