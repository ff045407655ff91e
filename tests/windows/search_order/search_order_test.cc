// What a module imports is the system's, also where the program's folder has a library of that
// name: an MPR.dll lies beside this program.
#include <windows.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "loader/image.h"

namespace longshore {
namespace {

std::filesystem::path own_folder() {
  wchar_t program[MAX_PATH];
  REQUIRE(GetModuleFileNameW(nullptr, program, MAX_PATH) != 0);
  return std::filesystem::path(program).parent_path();
}

// Whether the process has the library of the program's folder, and not the system's.
bool has_planted() {
  const HMODULE library = GetModuleHandleW(L"MPR.dll");
  REQUIRE(library);
  return GetProcAddress(library, "is_planted") != nullptr;
}

}  // namespace

// Without it the next case would show nothing.
TEST_CASE("a library in the program's folder is in front of the system's by default") {
  const HMODULE library = LoadLibraryW(L"MPR.dll");
  REQUIRE(library);
  CHECK(has_planted());
  REQUIRE(FreeLibrary(library));
  REQUIRE_FALSE(GetModuleHandleW(L"MPR.dll"));
}

TEST_CASE("a module gets the system's library, and not one in the program's folder") {
  const auto module = own_folder() / "modules" / "longshore-searching.dll";
  auto inspection = loader::inspect_module(module.string(), {});
  INFO((inspection ? std::string() : inspection.error().message()));
  REQUIRE(inspection);
  const auto image = loader::load_module(std::move(*inspection), 1);
  INFO((image ? std::string() : image.error().message()));
  REQUIRE(image);
  CHECK_FALSE(has_planted());
}

}  // namespace longshore
