// Every file in faulty/ against the diagnostics beside it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "config/loaded.h"
#include "fake_catalog.h"
#include "tests/support/build_tree.h"

namespace longshore::config::test {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  REQUIRE(stream);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> faulty_files() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::directory_iterator(longshore::test::source_tree() + "/tests/unit/config/faulty")) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("a faulty configuration is refused with exactly the diagnostics that it deserves") {
  const auto files = faulty_files();
  REQUIRE(files.size() >= 40);
  for (const fs::path& file : files) {
    DYNAMIC_SECTION(file.filename().string()) {
      FakeCatalog catalog;
      const auto loaded = load_text_with_origins(contents(file), file.filename().string(), catalog,
                                                 {.strict = true});
      REQUIRE_FALSE(loaded.ok());
      CHECK(loaded.error().code() == StatusCode::kInvalidArgument);
      CHECK(loaded.error().message() + '\n' ==
            contents(fs::path(file).replace_extension("expected")));
    }
  }
}

}  // namespace longshore::config::test
