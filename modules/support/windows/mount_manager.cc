#include "support/windows/mount_manager.h"

#include <windows.h>
#include <winioctl.h>

#include <array>
#include <string>

#include "longshore/windows/handle.hpp"
#include "support/windows/file_error.h"

namespace longshore::support {
namespace {

constexpr const wchar_t* kMountManager = L"\\\\.\\MountPointManager";
constexpr DWORD kMountPointCreated =
    CTL_CODE('m', 6, METHOD_BUFFERED, FILE_READ_ACCESS | FILE_WRITE_ACCESS);
constexpr DWORD kMountPointDeleted =
    CTL_CODE('m', 7, METHOD_BUFFERED, FILE_READ_ACCESS | FILE_WRITE_ACCESS);

// "\\?\C:\a\" as the object manager names it, "\??\C:\a".
std::wstring object_name(std::wstring_view name) {
  std::wstring object(name);
  if (object.starts_with(L"\\\\?\\")) object[1] = L'?';
  if (object.ends_with(L'\\')) object.pop_back();
  return object;
}

std::error_code tell(DWORD code, std::wstring_view directory, std::wstring_view volume) {
  std::vector<std::byte> notice = mount_point_notice(directory, volume);
  if (notice.empty()) return windows_error(ERROR_FILENAME_EXCED_RANGE);
  const Handle manager(CreateFileW(kMountManager, GENERIC_READ | GENERIC_WRITE,
                                   FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING,
                                   FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!manager) return manager.error();
  DWORD size = 0;
  return error_unless(DeviceIoControl(manager.get(), code, notice.data(),
                                      static_cast<DWORD>(notice.size()), nullptr, 0, &size,
                                      nullptr) != FALSE);
}

}  // namespace

// Offset and length of each name, in bytes, and then the names.
std::vector<std::byte> mount_point_notice(std::wstring_view directory, std::wstring_view volume) {
  const std::wstring names[] = {object_name(directory), object_name(volume)};
  std::array<USHORT, 4> header{};
  size_t end = sizeof(header);
  for (size_t i = 0; i < 2; ++i) {
    const size_t size = names[i].size() * sizeof(wchar_t);
    if (end + size > 0xffff) return {};
    header[2 * i] = static_cast<USHORT>(end);
    header[2 * i + 1] = static_cast<USHORT>(size);
    end += size;
  }
  std::vector<std::byte> notice;
  const auto append = [&](const void* data, size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    notice.insert(notice.end(), bytes, bytes + size);
  };
  append(header.data(), sizeof(header));
  for (const std::wstring& name : names) append(name.data(), name.size() * sizeof(wchar_t));
  return notice;
}

std::error_code tell_mount_point_made(std::wstring_view directory, std::wstring_view volume) {
  return tell(kMountPointCreated, directory, volume);
}

std::error_code tell_mount_point_gone(std::wstring_view directory, std::wstring_view volume) {
  return tell(kMountPointDeleted, directory, volume);
}

}  // namespace longshore::support
