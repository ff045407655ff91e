#include <charconv>
#include <optional>
#include <string>

#include "files/state_lock.h"
#include "files/windows/own_file.h"
#include "longshore/windows/wide_text.hpp"

namespace longshore::files {
namespace {

// Behind the text: others may read that while the byte is locked.
constexpr DWORD kLockedByte = 1 << 20;
constexpr DWORD kMaxText = 16;

std::string file_of(const std::string& state_dir) { return state_dir + "\\.lock"; }

bool lock(const Handle& file, DWORD flags) {
  OVERLAPPED where{};
  where.Offset = kLockedByte;
  return LockFileEx(file.get(), flags | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where);
}

int owner_in(const Handle& file) {
  char text[kMaxText] = {};
  DWORD size = 0;
  int process = 0;
  if (ReadFile(file.get(), text, kMaxText, &size, nullptr)) {
    std::from_chars(text, text + size, process);
  }
  return process;
}

Error taken(const std::string& state_dir, int process) {
  const std::string who = process == 0 ? "another process" : "process " + std::to_string(process);
  return Error(StatusCode::kFailedPrecondition, "lock the folder", state_dir)
      .because(who + " has it")
      .advise("stop that one, or give this one another run_dir, control_dir and state_dir");
}

}  // namespace

Result<StateLock> StateLock::take(const std::string& state_dir) {
  if (auto made = make_own_folder(state_dir); !made) return std::move(made).error();
  auto file = open_own_file(file_of(state_dir), GENERIC_READ | GENERIC_WRITE, OthersMay::kWrite);
  if (!file) return std::move(file).error();
  if (!lock(*file, LOCKFILE_EXCLUSIVE_LOCK)) return taken(state_dir, owner_in(*file));
  const std::string text = std::to_string(GetCurrentProcessId()) + "\n";
  std::error_code error = write_all(file->get(), text);
  if (!error) error = error_unless(SetEndOfFile(file->get()) != FALSE);
  if (error) return Error(StatusCode::kUnknown, "write", file_of(state_dir)).because(error);
  return StateLock(nullptr, std::move(*file), {});
}

std::optional<int> StateLock::owner_of(const std::string& state_dir) {
  const Handle file(CreateFileW(wide(file_of(state_dir)).c_str(), GENERIC_READ,
                                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file || lock(file, 0)) return std::nullopt;
  return owner_in(file);
}

}  // namespace longshore::files
