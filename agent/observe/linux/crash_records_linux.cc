#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "files/linux/trusted_folder.h"
#include "longshore/linux/file_descriptor.hpp"
#include "observe/crash_records.h"

namespace longshore::observe {
namespace {

constexpr const char* kFolder = "crashes";

Error failed_with(const char* what, const std::string& folder, const std::error_code& error) {
  return Error(StatusCode::kUnknown, what, folder + "/" + kFolder).because(error);
}

// Its folder, which no link may stand for.
Result<FileDescriptor> open_records(const std::string& state_dir, bool make) {
  const auto state = files::TrustedFolder::open(state_dir);
  if (!state) return state.error();
  if (make) {
    const std::error_code error = error_unless(::mkdirat(state->descriptor(), kFolder, 0700) == 0);
    if (error && error != std::errc::file_exists) {
      return failed_with("make the folder", state_dir, error);
    }
  }
  FileDescriptor folder(
      ::openat(state->descriptor(), kFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!folder) return failed_with("open the folder", state_dir, folder.error());
  return folder;
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  DIR* const entries = ::fdopendir(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!entries) return names;
  while (const dirent* entry = ::readdir(entries)) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  ::closedir(entries);
  std::sort(names.begin(), names.end());  // they begin with the time
  return names;
}

std::string text_of(int folder, const std::string& name) {
  const FileDescriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  std::string text(kMaxCrashRecordBytes, '\0');
  const ssize_t count = file ? ::read(file.get(), text.data(), text.size()) : -1;
  text.resize(count < 0 ? 0 : static_cast<size_t>(count));
  return text;
}

std::string new_name(const std::string& program, int process) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(now).count()) + "-" +
         program + "-" + std::to_string(process);
}

bool is_empty(int folder, const std::string& name) {
  struct stat status {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_size == 0;
}

int make_file(int folder, const std::string& name) {
  return ::openat(folder, name.c_str(),
                  O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

// With room for one more.
void remove_oldest(int folder, const std::vector<std::string>& names) {
  for (size_t i = 0; i + kMostCrashRecords <= names.size(); ++i) {
    ::unlinkat(folder, names[i].c_str(), 0);
  }
}

}  // namespace

Result<int> prepare_crash_record(const std::string& state_dir, const std::string& program,
                                 CrashRecord* last) {
  const auto folder = open_records(state_dir, true);
  if (!folder) return folder.error();
  std::vector<std::string> names = names_in(folder->get());
  std::erase_if(names, [&](const std::string& name) {
    return is_empty(folder->get(), name) && ::unlinkat(folder->get(), name.c_str(), 0) == 0;
  });
  if (last && !names.empty()) *last = {names.back(), text_of(folder->get(), names.back())};
  remove_oldest(folder->get(), names);
  const int record = make_file(folder->get(), new_name(program, ::getpid()));
  if (const std::error_code error = error_unless(record >= 0)) {
    return failed_with("make a file in", state_dir, error);
  }
  return record;
}

Result<void> add_crash_record(const std::string& state_dir, const std::string& program, int process,
                              std::string_view text) {
  const auto folder = open_records(state_dir, true);
  if (!folder) return folder.error();
  remove_oldest(folder->get(), names_in(folder->get()));
  const FileDescriptor file(make_file(folder->get(), new_name(program, process)));
  if (!file) return failed_with("make a file in", state_dir, file.error());
  const std::error_code error = write_all(file.get(), text.substr(0, kMaxCrashRecordBytes));
  return error ? failed_with("write a file in", state_dir, error) : Result<void>();
}

Result<std::vector<CrashRecord>> list_crash_records(const std::string& state_dir) {
  const auto folder = open_records(state_dir, false);
  std::vector<CrashRecord> records;
  if (!folder && folder.error().code() == StatusCode::kNotFound)
    return records;  // none was ever made
  if (!folder) return folder.error();
  for (const std::string& name : names_in(folder->get())) {
    CrashRecord record{name, text_of(folder->get(), name)};
    if (!record.text.empty()) records.push_back(std::move(record));
  }
  return records;
}

}  // namespace longshore::observe
