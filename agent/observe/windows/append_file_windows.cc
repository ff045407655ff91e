#include <windows.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "files/windows/own_file.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "observe/append_file.h"

namespace longshore::observe {
namespace {

HANDLE file_of(intptr_t handle) { return reinterpret_cast<HANDLE>(handle); }

Error failed(const char* operation, const std::string& path, const std::error_code& error) {
  return Error(StatusCode::kUnknown, operation, path).because(error);
}

bool is_same_file(HANDLE one, HANDLE other) {
  BY_HANDLE_FILE_INFORMATION a{}, b{};
  return GetFileInformationByHandle(one, &a) && GetFileInformationByHandle(other, &b) &&
         a.dwVolumeSerialNumber == b.dwVolumeSerialNumber && a.nFileIndexHigh == b.nFileIndexHigh &&
         a.nFileIndexLow == b.nFileIndexLow;
}

bool move_end(HANDLE file, uint64_t size) {
  FILE_END_OF_FILE_INFO end{};
  end.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  return SetFileInformationByHandle(file, FileEndOfFileInfo, &end, sizeof(end));
}

// At the end of the file, wherever that is when it is written.
bool append(HANDLE file, std::string_view text, DWORD& written) {
  OVERLAPPED at_end{};
  at_end.Offset = 0xFFFFFFFF;
  at_end.OffsetHigh = 0xFFFFFFFF;
  return WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &written, &at_end);
}

}  // namespace

AppendFile::~AppendFile() {
  if (handle_ != -1) CloseHandle(file_of(handle_));
}

Result<void> AppendFile::make_folder_of(const std::string& path) {
  return files::make_own_folder(std::filesystem::path(wide(path)).parent_path().string());
}

Result<void> AppendFile::open(const std::string& path, bool* is_new) {
  auto opened = files::open_own_file(path, GENERIC_READ | GENERIC_WRITE, files::OthersMay::kRead);
  if (is_new) *is_new = false;
  // This process has it open for writing already, and so has the sharing of that.
  if (!opened && handle_ != -1 && opened.error().system().value() == ERROR_SHARING_VIOLATION) {
    const Handle looked(CreateFileW(wide(path).c_str(), FILE_READ_ATTRIBUTES,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
    if (looked && is_same_file(looked.get(), file_of(handle_))) return {};
  }
  if (!opened) return std::move(opened).error();
  HANDLE own = nullptr;
  const std::error_code error =
      error_unless(DuplicateHandle(GetCurrentProcess(), opened->get(), GetCurrentProcess(), &own, 0,
                                   FALSE, DUPLICATE_SAME_ACCESS) != FALSE);
  if (error) return failed("open the file", path, error);
  if (handle_ != -1) CloseHandle(file_of(handle_));
  handle_ = reinterpret_cast<intptr_t>(own);
  is_torn_ = false;
  path_ = path;
  if (is_new) *is_new = true;
  return {};
}

// A file that an agent has open is its own affair.
Result<void> AppendFile::check(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(wide(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    const std::string folder = std::filesystem::path(wide(path)).parent_path().string();
    if (GetFileAttributesW(wide(folder).c_str()) != INVALID_FILE_ATTRIBUTES) return {};
    return Error(StatusCode::kNotFound, "open the file", path).because("there is no such folder");
  }
  if (attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) {
    return Error(StatusCode::kFailedPrecondition, "open the file", path)
        .because("a folder or a link is in its place");
  }
  return {};
}

Result<void> AppendFile::write(std::string_view line) {
  // Half a line must not spoil the next one.
  const std::string after_torn = is_torn_ ? "\n" + std::string(line) : std::string();
  if (is_torn_) line = after_torn;
  const HANDLE file = file_of(handle_);
  const uint64_t before = size();
  DWORD written = 0;
  std::error_code refusal = error_unless(append(file, line, written));
  if (!refusal && written == line.size()) {
    is_torn_ = false;
    return {};
  }
  // A part was taken, of which the system says nothing.
  if (!refusal) refusal = {ERROR_WRITE_FAULT, std::system_category()};
  Error error = failed("write to the file", path_, refusal);
  if (written > 0 && !move_end(file, before)) is_torn_ = true;
  return error;
}

Result<void> AppendFile::sync() {
  const std::error_code error = error_unless(FlushFileBuffers(file_of(handle_)) != FALSE);
  if (!error) return {};
  return failed("sync the file", path_, error);
}

uint64_t AppendFile::size() const {
  LARGE_INTEGER size{};
  if (handle_ == -1 || !GetFileSizeEx(file_of(handle_), &size)) return 0;
  return static_cast<uint64_t>(size.QuadPart);
}

std::string AppendFile::last_line(size_t max_bytes) const {
  const uint64_t bytes = size();
  std::string text(std::min<uint64_t>(bytes, max_bytes), '\0');
  OVERLAPPED where{};
  where.Offset = static_cast<DWORD>(bytes - text.size());
  where.OffsetHigh = static_cast<DWORD>((bytes - text.size()) >> 32);
  DWORD count = 0;
  if (!ReadFile(file_of(handle_), text.data(), static_cast<DWORD>(text.size()), &count, &where)) {
    count = 0;
  }
  text.resize(count);
  if (text.size() < 2) return text;
  const size_t end_before = text.rfind('\n', text.size() - 2);
  return end_before == std::string::npos ? text : text.substr(end_before + 1);
}

Result<void> AppendFile::cut(size_t bytes) {
  const std::error_code error = error_unless(move_end(file_of(handle_), size() - bytes));
  if (!error) return {};
  return failed("cut the file", path_, error);
}

Result<void> AppendFile::rotate(int64_t max_files) {
  const auto numbered = [&](int64_t number) {
    return wide(path_ + (number == 0 ? std::string() : "." + std::to_string(number)));
  };
  if (max_files <= 1) DeleteFileW(numbered(0).c_str());
  // Moved already, when the new one could not be made: the oldest must not go each time.
  const bool is_moved = GetFileAttributesW(numbered(0).c_str()) == INVALID_FILE_ATTRIBUTES;
  // The oldest is replaced. What is not there need not move.
  for (int64_t number = is_moved ? -1 : max_files - 2; number >= 0; --number) {
    const std::error_code error =
        error_unless(MoveFileExW(numbered(number).c_str(), numbered(number + 1).c_str(),
                                 MOVEFILE_REPLACE_EXISTING) != FALSE);
    if (error && error.value() != ERROR_FILE_NOT_FOUND) {
      return failed("rotate the file", path_, error);
    }
  }
  return open(std::string(path_));
}

}  // namespace longshore::observe
