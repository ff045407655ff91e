#include <windows.h>
// windows.h comes before it.
#include <fcntl.h>
#include <io.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "files/windows/own_file.h"
#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "observe/crash_records.h"

namespace longshore::observe {
namespace {

namespace fs = std::filesystem;

constexpr DWORD kAllShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

std::string folder_of(const std::string& state_dir) { return state_dir + "\\crashes"; }

fs::path path_of(const std::string& folder, const std::string& name) {
  return wide(folder + "\\" + name);
}

// Its folder, which no link may stand for.
Result<std::string> make_folder(const std::string& state_dir) {
  const std::string folder = folder_of(state_dir);
  if (auto made = files::make_own_folder(folder); !made) return std::move(made).error();
  if (GetFileAttributesW(wide(folder).c_str()) & FILE_ATTRIBUTE_REPARSE_POINT) {
    return Error(StatusCode::kFailedPrecondition, "open the folder", folder)
        .because("a link is in its place");
  }
  return folder;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(wide(folder), error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(narrow(entry->path().filename().wstring()));
  }
  std::sort(names.begin(), names.end());  // they begin with the time
  return names;
}

std::string text_of(const std::string& folder, const std::string& name) {
  const Handle file(CreateFileW(path_of(folder, name).c_str(), GENERIC_READ, kAllShared, nullptr,
                                OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  std::string text(kMaxCrashRecordBytes, '\0');
  DWORD size = 0;
  if (!file ||
      !ReadFile(file.get(), text.data(), static_cast<DWORD>(text.size()), &size, nullptr)) {
    size = 0;
  }
  text.resize(size);
  return text;
}

// Rights to it are the folder's.
Handle make_file(const std::string& folder, const std::string& program, DWORD process) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string name =
      std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) + "-" +
      program + "-" + std::to_string(process);
  return Handle(CreateFileW(path_of(folder, name).c_str(), FILE_APPEND_DATA | SYNCHRONIZE,
                            FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, CREATE_NEW,
                            FILE_ATTRIBUTE_NORMAL, nullptr));
}

Error cannot_make(const std::string& folder, const std::error_code& error) {
  return Error(StatusCode::kUnknown, "make a file in", folder).because(error);
}

void remove(const std::string& folder, const std::string& name) {
  DeleteFileW(path_of(folder, name).c_str());
}

// With room for one more.
void remove_oldest(const std::string& folder, const std::vector<std::string>& names) {
  for (size_t i = 0; i + kMostCrashRecords <= names.size(); ++i) remove(folder, names[i]);
}

}  // namespace

Result<int> prepare_crash_record(const std::string& state_dir, const std::string& program,
                                 CrashRecord* last) {
  const auto folder = make_folder(state_dir);
  if (!folder) return folder.error();
  std::vector<std::string> names = names_in(*folder);
  std::erase_if(names, [&](const std::string& name) {
    const bool is_empty = text_of(*folder, name).empty();
    if (is_empty) remove(*folder, name);
    return is_empty;
  });
  if (last && !names.empty()) *last = {names.back(), text_of(*folder, names.back())};
  remove_oldest(*folder, names);
  const Handle file = make_file(*folder, program, GetCurrentProcessId());
  if (!file) return cannot_make(*folder, file.error());
  HANDLE kept = nullptr;
  const std::error_code error =
      error_unless(DuplicateHandle(GetCurrentProcess(), file.get(), GetCurrentProcess(), &kept, 0,
                                   FALSE, DUPLICATE_SAME_ACCESS) != FALSE);
  if (error) return cannot_make(*folder, error);
  return _open_osfhandle(reinterpret_cast<intptr_t>(kept), _O_APPEND);
}

Result<void> add_crash_record(const std::string& state_dir, const std::string& program, int process,
                              std::string_view text) {
  const auto folder = make_folder(state_dir);
  if (!folder) return folder.error();
  remove_oldest(*folder, names_in(*folder));
  const Handle file = make_file(*folder, program, static_cast<DWORD>(process));
  if (!file) return cannot_make(*folder, file.error());
  const std::error_code error = write_all(file.get(), text.substr(0, kMaxCrashRecordBytes));
  if (!error) return {};
  return Error(StatusCode::kUnknown, "write a file in", *folder).because(error);
}

Result<std::vector<CrashRecord>> list_crash_records(const std::string& state_dir) {
  const std::string folder = folder_of(state_dir);
  std::vector<CrashRecord> records;
  for (const std::string& name : names_in(folder)) {
    CrashRecord record{name, text_of(folder, name)};
    if (!record.text.empty()) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace longshore::observe
