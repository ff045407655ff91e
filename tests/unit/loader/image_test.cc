// From a file to an image in memory: pinned by hash, loaded once however often it is asked for.
#include "loader/image.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/build_tree.h"
#include "tests/support/temporary_directory.h"

namespace longshore::loader {
namespace {

Result<std::shared_ptr<Image>> load(const std::string& file, size_t max_images = 8) {
  Result<Inspection> inspection = inspect_module(file, {});
  if (!inspection) return std::move(inspection).error();
  return load_module(std::move(*inspection), max_images);
}

TEST_CASE("The same bytes are one image, whatever file they come from") {
  const test::TemporaryDirectory folder;
  std::filesystem::copy_file(test::built_module("echo"), folder / "copy.so");
  const auto first = load(test::built_module("echo"));
  const auto again = load(test::built_module("echo"));
  const auto copy = load(folder / "copy.so");
  REQUIRE(first);
  REQUIRE(again);
  REQUIRE(copy);
  CHECK(*again == *first);
  CHECK(*copy == *first);
  CHECK((*first)->facts().path == test::built_module("echo"));
}

// On Windows nobody can change a file while it is inspected, and owners and modes are not looked
// at.
#if !defined(_WIN32)
TEST_CASE("What was inspected is what is loaded, whatever becomes of the file") {
  const test::TemporaryDirectory folder;
  const std::string file = folder / "module.so";
  std::filesystem::copy_file(test::built_module("echo"), file);
  std::ofstream(file, std::ios::app) << "other bytes, so that this is an image of its own";
  auto inspection = inspect_module(file, {});
  REQUIRE(inspection);
  test::write_file(file, "no module any more");
  std::filesystem::remove(file);
  const auto image = load_module(std::move(*inspection), 8);
  REQUIRE(image);
  CHECK((*image)->facts().name == "longshore-echo");
  CHECK((*image)->facts().path == file);
}

#endif

TEST_CASE("A pinned file is loaded only if it is that file") {
  InspectionOptions options;
  options.required_sha256 = std::string(64, '0');
  const auto other = inspect_module(test::built_module("echo"), options);
  REQUIRE_FALSE(other);
  CHECK(other.error().code() == StatusCode::kFailedPrecondition);
  const auto facts = inspect_module(test::built_module("echo"), {});
  REQUIRE(facts);
  CHECK(other.error().message() ==
        "cannot load the module \"" + test::built_module("echo") + "\": its SHA-256 is " +
            facts->facts->sha256 + " and the configuration pins " + options.required_sha256 +
            "; check where the file comes from before you change the pin");
  options.required_sha256 = facts->facts->sha256;
  CHECK(inspect_module(test::built_module("echo"), options));
}

#if !defined(_WIN32)
TEST_CASE("A file that others could have changed is refused") {
  const test::TemporaryDirectory folder;
  const std::string file = folder / "module.so";
  std::filesystem::copy_file(test::built_module("echo"), file);
  InspectionOptions options;
  options.owners = {0};
  CHECK(inspect_module(file, options));
  std::filesystem::permissions(file, std::filesystem::perms::all);
  const auto open_to_all = inspect_module(file, options);
  REQUIRE_FALSE(open_to_all);
  CHECK(open_to_all.error().code() == StatusCode::kPermissionDenied);
  CHECK(open_to_all.error().message().find(file) != std::string::npos);
}

#endif

TEST_CASE("The number of images is bounded, and what is loaded already does not count") {
  REQUIRE(load(test::built_module("echo")));
  CHECK(load(test::built_module("echo"), 1));
  const auto second = load(test::built_module("system"), 1);
  REQUIRE_FALSE(second);
  CHECK(second.error().code() == StatusCode::kResourceExhausted);
  CHECK(second.error().message().starts_with("cannot load the module \"" +
                                             test::built_module("system") + "\": "));
  CHECK(second.error().message().ends_with(
      " different images are loaded already, and images are never unloaded; restart the agent"));
}

}  // namespace
}  // namespace longshore::loader
