#include "support/windows/windows_file_system.h"

#include <windows.h>

#include "longshore/windows/handle.hpp"
#include "support/windows/file_error.h"
#include "support/windows/windows_file.h"

namespace longshore::support {
namespace {

// Texts that end with a zero each, and then one more zero.
std::vector<std::wstring> split_at_zeros(std::wstring_view texts) {
  std::vector<std::wstring> found;
  while (!texts.empty() && texts.front() != L'\0') {
    found.emplace_back(texts.substr(0, texts.find(L'\0')));
    texts.remove_prefix(std::min(found.back().size() + 1, texts.size()));
  }
  return found;
}

}  // namespace

FileSystemCalls::Opened WindowsFileSystem::open_path(const std::wstring& path, LastName last,
                                                     FileAccess access, std::error_code& error) {
  const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS |
                      (last == LastName::kUnfollowed ? DWORD{FILE_FLAG_OPEN_REPARSE_POINT} : 0);
  Handle opened(CreateFileW(path.c_str(), rights_for(access),
                            FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                            OPEN_EXISTING, flags, nullptr));
  error = opened.error();
  return opened ? std::make_unique<WindowsFile>(std::move(opened)) : nullptr;
}

std::vector<std::wstring> WindowsFileSystem::paths_of_volume(const std::wstring& volume,
                                                             std::error_code& error) {
  std::wstring paths(MAX_PATH, L'\0');
  for (DWORD size = 0;;) {
    error = error_unless(GetVolumePathNamesForVolumeNameW(volume.c_str(), paths.data(),
                                                          static_cast<DWORD>(paths.size()),
                                                          &size) != FALSE);
    if (!error) return split_at_zeros(paths);
    if (error.value() != ERROR_MORE_DATA || size <= paths.size()) return {};
    paths.resize(size);
  }
}

bool WindowsFileSystem::exists(const std::wstring& path, std::error_code& error) {
  const bool is_long_share =
      path.size() >= MAX_PATH && path.starts_with(L"\\\\") && !path.starts_with(L"\\\\?\\");
  const std::wstring asked = is_long_share ? L"\\\\?\\UNC" + path.substr(1) : path;
  const bool found = GetFileAttributesW(asked.c_str()) != INVALID_FILE_ATTRIBUTES;
  error = error_unless(found);
  if (is_missing(error)) error.clear();
  return found;
}

}  // namespace longshore::support
