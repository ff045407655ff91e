// Errors of functions of Windows' that failed, and of handles that they did not open.
#include "longshore/windows/handle.hpp"

#include <catch2/catch.hpp>
#include <utility>

namespace longshore {
namespace {

Handle open_file(const wchar_t* path) {
  return Handle(CreateFileW(path, GENERIC_READ, 0, nullptr, OPEN_EXISTING, 0, nullptr));
}

TEST_CASE("an error is had of a function that failed only, and of each its own") {
  Handle missing = open_file(L"C:\\nowhere.txt");
  REQUIRE_FALSE(missing);
  Handle event(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  REQUIRE(event);
  CHECK(error_unless(SetEvent(nullptr) != FALSE).value() == ERROR_INVALID_HANDLE);
  // The last error is still that of the call before.
  CHECK_FALSE(event.error());
  CHECK_FALSE(error_unless(true));
  CHECK(missing.error().value() == ERROR_FILE_NOT_FOUND);
  const Handle moved(std::move(missing));
  CHECK(moved.error().value() == ERROR_FILE_NOT_FOUND);
  CHECK(Handle().error().value() == ERROR_INVALID_HANDLE);
}

TEST_CASE("a handle that is closed leaves the last error to the function that failed") {
  {
    const Handle event(CreateEventW(nullptr, TRUE, FALSE, nullptr));
    SetLastError(ERROR_DISK_FULL);
  }
  CHECK(error_unless(false).value() == ERROR_DISK_FULL);
  SetLastError(ERROR_SUCCESS);
  CHECK(error_unless(false).value() == ERROR_GEN_FAILURE);
}

}  // namespace
}  // namespace longshore
