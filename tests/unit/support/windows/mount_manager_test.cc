// The notice as mountmgr.h lays it out.
#include "support/windows/mount_manager.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/windows/reparse_bytes.h"

namespace longshore::support {
namespace {

constexpr std::wstring_view kVolumeOfNotice =
    L"\\\\?\\Volume{01234567-89ab-cdef-0123-456789abcdef}\\";

TEST_CASE("the mount manager is told both names as the object manager has them") {
  const std::wstring directory = L"\\??\\C:\\a\\\u00e4";
  const std::wstring volume = L"\\??\\Volume{01234567-89ab-cdef-0123-456789abcdef}";
  std::vector<std::byte> expected;
  const auto bytes = [](const std::wstring& text) {
    return static_cast<uint32_t>(2 * text.size());
  };
  test::append_number(expected, 8, 2);
  test::append_number(expected, bytes(directory), 2);
  test::append_number(expected, 8 + bytes(directory), 2);
  test::append_number(expected, bytes(volume), 2);
  test::append_units(expected, directory + volume);
  CHECK(mount_point_notice(L"\\\\?\\C:\\a\\\u00e4", kVolumeOfNotice) == expected);
  CHECK(mount_point_notice(L"\\\\?\\C:\\a\\\u00e4\\", kVolumeOfNotice) == expected);
}

TEST_CASE("names that are too long for the mount manager are not sent to it") {
  const std::wstring longest = L"\\\\?\\C:\\" + std::wstring(32'760, L'x');
  CHECK(mount_point_notice(longest, kVolumeOfNotice).empty());
  CHECK(tell_mount_point_gone(longest, kVolumeOfNotice));
}

}  // namespace
}  // namespace longshore::support
