#include "support/windows/volume_functions.h"

#include <windows.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"

namespace longshore::support {
namespace {

// "\\?\Volume{...}\" and its closing zero.
using NameBuffer = std::array<wchar_t, 50>;
// More than a volume could have, and what the longest paths need.
constexpr size_t kMostUnits = size_t{1} << 20;

// The strings of a list that ends with an empty one.
std::vector<std::wstring> strings_in(const std::vector<wchar_t>& list) {
  std::vector<std::wstring> strings;
  std::wstring_view rest(list.data(), list.size());
  while (!rest.empty() && rest.front() != L'\0') {
    const std::wstring_view text = rest.substr(0, rest.find(L'\0'));
    strings.emplace_back(text);
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
  }
  return strings;
}

// A value of the registry as it stands there, or nothing.
std::optional<std::vector<wchar_t>> registry_text(const wchar_t* key, const wchar_t* name) {
  DWORD size = 0;
  constexpr DWORD kTypes = RRF_RT_REG_SZ | RRF_RT_REG_MULTI_SZ;
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, kTypes, nullptr, nullptr, &size) !=
      ERROR_SUCCESS) {
    return std::nullopt;
  }
  std::vector<wchar_t> text(size / sizeof(wchar_t) + 1, L'\0');
  size = static_cast<DWORD>(text.size() * sizeof(wchar_t));
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, kTypes, nullptr, text.data(), &size) !=
      ERROR_SUCCESS) {
    return std::nullopt;
  }
  return text;
}

// "C:\Windows" or "\??\C:\pagefile.sys": the device of its drive.
void add_drive_of(std::wstring_view path, std::vector<std::wstring>& devices) {
  constexpr std::wstring_view kPrefix = L"\\??\\";
  if (path.starts_with(kPrefix)) path.remove_prefix(kPrefix.size());
  if (path.size() < 2 || path[1] != L':') return;
  devices.push_back(L"\\\\.\\" + std::wstring(path.substr(0, 2)));
}

}  // namespace

VolumeFunctions::Names SystemVolumeFunctions::volumes() {
  Names found;
  NameBuffer name{};
  HANDLE const search = FindFirstVolumeW(name.data(), static_cast<DWORD>(name.size()));
  bool is_found = search != INVALID_HANDLE_VALUE;
  found.error = error_unless(is_found);
  while (is_found) {
    found.names.emplace_back(name.data());
    is_found = FindNextVolumeW(search, name.data(), static_cast<DWORD>(name.size())) != FALSE;
    found.error = error_unless(is_found);
  }
  if (found.error.value() == ERROR_NO_MORE_FILES) found.error.clear();
  if (search != INVALID_HANDLE_VALUE) FindVolumeClose(search);
  return found;
}

VolumeFunctions::Names SystemVolumeFunctions::mount_paths(const std::wstring& volume) {
  std::vector<wchar_t> list(MAX_PATH);
  for (;;) {
    DWORD units = 0;
    const std::error_code error = error_unless(
        GetVolumePathNamesForVolumeNameW(volume.c_str(), list.data(),
                                         static_cast<DWORD>(list.size()), &units) != FALSE);
    if (!error) return {{}, strings_in(list)};
    if (error.value() != ERROR_MORE_DATA || list.size() >= kMostUnits) return {error, {}};
    list.resize(std::clamp<size_t>(units, list.size() * 2, kMostUnits));
  }
}

VolumeFunctions::Name SystemVolumeFunctions::volume_at(const std::wstring& mount_path) {
  NameBuffer name{};
  const std::error_code error =
      error_unless(GetVolumeNameForVolumeMountPointW(mount_path.c_str(), name.data(),
                                                     static_cast<DWORD>(name.size())) != FALSE);
  if (error) return {error, {}};
  return {{}, name.data()};
}

VolumeFunctions::Filesystem SystemVolumeFunctions::filesystem(const std::wstring& volume) {
  std::array<wchar_t, MAX_PATH + 1> type{};
  DWORD serial_number = 0;
  const std::error_code error = error_unless(
      GetVolumeInformationW(volume.c_str(), nullptr, 0, &serial_number, nullptr, nullptr,
                            type.data(), static_cast<DWORD>(type.size())) != FALSE);
  if (error) return {error, {}, 0};
  return {{}, narrow(type.data()), serial_number};
}

VolumeFunctions::Space SystemVolumeFunctions::space(const std::wstring& volume) {
  ULARGE_INTEGER total{};
  ULARGE_INTEGER free{};
  const std::error_code error =
      error_unless(GetDiskFreeSpaceExW(volume.c_str(), nullptr, &total, &free) != FALSE);
  if (error) return {error, 0, 0};
  return {{}, total.QuadPart, free.QuadPart};
}

VolumeFunctions::Names SystemVolumeFunctions::needed_volumes() {
  Names needed;
  std::array<wchar_t, MAX_PATH + 1> directory{};
  const std::error_code error = error_unless(
      GetSystemWindowsDirectoryW(directory.data(), static_cast<UINT>(directory.size())) != 0);
  if (error) return {error, {}};
  add_drive_of(directory.data(), needed.names);
  const auto page_files =
      registry_text(L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management",
                    L"ExistingPageFiles");
  for (const std::wstring& file : strings_in(page_files.value_or(std::vector<wchar_t>()))) {
    add_drive_of(file, needed.names);
  }
  // "\Device\HarddiskVolume1".
  if (const auto start = registry_text(L"SYSTEM\\Setup", L"SystemPartition")) {
    for (const std::wstring& device : strings_in(*start)) {
      needed.names.push_back(L"\\\\?\\GLOBALROOT" + device);
    }
  }
  std::ranges::sort(needed.names);
  needed.names.erase(std::unique(needed.names.begin(), needed.names.end()), needed.names.end());
  return needed;
}

}  // namespace longshore::support
