#include <windows.h>

#include "loader/module_file.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "observe/sha256.h"

namespace longshore::loader {
namespace {

constexpr LONGLONG kMaxFileBytes = 512 << 20;

Error cannot_read(const std::string& path) {
  return Error(StatusCode::kUnknown, "read the module", path);
}

}  // namespace

// Owners are not looked at here: on Windows the rights of the installation's folders protect the
// modules, and the installer sets them.
Result<ModuleFile> ModuleFile::open(const std::string& path, const std::vector<config::UserId>&) {
  ModuleFile file;
  if (auto read = file.read(path); !read) return std::move(read).error();
  return file;
}

Result<void> ModuleFile::read(const std::string& path) {
  path_ = path;
  // Shared for reading only: nobody can write, rename or remove it as long as we hold it.
  const std::wstring name = wide(path);
  const HANDLE file = CreateFileW(name.c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr,
                                  OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (const std::error_code error = error_unless(file != INVALID_HANDLE_VALUE)) {
    return cannot_read(path).because(error);
  }
  handle_ = reinterpret_cast<intptr_t>(file);
  LARGE_INTEGER size{};
  if (!GetFileSizeEx(file, &size)) {  // fails for pipes and devices
    return cannot_read(path).because("it is not a regular file");
  }
  if (size.QuadPart == 0 || size.QuadPart > kMaxFileBytes) {
    return cannot_read(path).because("its size of " + std::to_string(size.QuadPart) +
                                     " bytes is not a module's");
  }
  const HANDLE mapping = CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (const std::error_code error = error_unless(mapping != nullptr)) {
    return cannot_read(path).because(error);
  }
  const void* view = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  const std::error_code error = error_unless(view != nullptr);
  CloseHandle(mapping);  // the view keeps it
  if (!view) return cannot_read(path).because(error);
  bytes_ = {static_cast<const std::byte*>(view), static_cast<size_t>(size.QuadPart)};
  sha256_ = observe::sha256_of(bytes_);
  return {};
}

ModuleFile::~ModuleFile() {
  forget_bytes();
  if (handle_ != -1) CloseHandle(reinterpret_cast<HANDLE>(handle_));
}

void ModuleFile::forget_bytes() {
  if (!bytes_.empty()) UnmapViewOfFile(bytes_.data());
  bytes_ = {};
}

std::string ModuleFile::loadable_path() const { return path_; }

}  // namespace longshore::loader
