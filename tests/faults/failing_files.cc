// The functions that open, write, sync and rename files and make folders and links, before those of
// libc: they fail for the files that the plan names.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "tests/faults/plan_of_process.h"

namespace {

using longshore::test::FaultPlan;
using longshore::test::FileFaults;
using longshore::test::plan_of_process;

using ErrorOf = std::atomic<int> FileFaults::*;

bool concerns(const FileFaults& files, const char* path) {
  if (path == nullptr || std::strstr(path, files.path_part) == nullptr) return false;
  return files.spared_part[0] == '\0' || std::strstr(path, files.spared_part) == nullptr;
}

// Whether a call for this path is to fail; errno is set then.
bool fails(const char* path, ErrorOf error_of) {
  FaultPlan* const plan = plan_of_process();
  const int error = plan ? (plan->files.*error_of).load() : 0;
  if (error == 0 || !concerns(plan->files, path)) return false;
  const uint64_t number = ++plan->files.calls;
  if (number < plan->files.first || number > plan->files.last) return false;
  ++plan->files.failed;
  errno = error;
  return true;
}

// What an open file is called, with room for more; 0: nobody knows.
size_t path_of(int file, char (&path)[512]) {
  char link[64];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
  const ssize_t size = ::readlink(link, path, sizeof(path) - 1);
  if (size < 0) return 0;
  path[size] = '\0';
  return static_cast<size_t>(size);
}

bool is_broken(ErrorOf error_of) {
  const FaultPlan* const plan = plan_of_process();
  return plan != nullptr && (plan->files.*error_of).load() != 0;
}

// The same of a file that is open; what was its name must still be.
bool fails(int file, ErrorOf error_of) {
  char path[512];
  return is_broken(error_of) && path_of(file, path) != 0 && fails(path, error_of);
}

// By a path that may be relative to an open folder.
bool fails_at(int folder, const char* name, ErrorOf error_of) {
  if (!is_broken(error_of) || name == nullptr) return false;
  char path[512];
  const size_t size = folder == AT_FDCWD || name[0] == '/' ? 0 : path_of(folder, path);
  if (size == 0) return fails(name, error_of);
  std::snprintf(path + size, sizeof(path) - size, "/%s", name);
  return fails(path, error_of);
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  if (fails_at(folder, path, &FileFaults::open_error)) return -1;
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode));
}

mode_t mode_of(int flags, va_list arguments) {
  const bool has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

#define LONGSHORE_TEST_OPEN(name)                       \
  EXPORTED int name(const char* path, int flags, ...) { \
    va_list arguments;                                  \
    va_start(arguments, flags);                         \
    const mode_t mode = mode_of(flags, arguments);      \
    va_end(arguments);                                  \
    return open_at(AT_FDCWD, path, flags, mode);        \
  }
LONGSHORE_TEST_OPEN(open)
LONGSHORE_TEST_OPEN(open64)

#define LONGSHORE_TEST_OPENAT(name)                                 \
  EXPORTED int name(int folder, const char* path, int flags, ...) { \
    va_list arguments;                                              \
    va_start(arguments, flags);                                     \
    const mode_t mode = mode_of(flags, arguments);                  \
    va_end(arguments);                                              \
    return open_at(folder, path, flags, mode);                      \
  }
LONGSHORE_TEST_OPENAT(openat)
LONGSHORE_TEST_OPENAT(openat64)

EXPORTED ssize_t write(int file, const void* bytes, size_t size) {
  if (fails(file, &FileFaults::write_error)) return -1;
  return ::syscall(SYS_write, file, bytes, size);
}

EXPORTED ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  if (fails(file, &FileFaults::write_error)) return -1;
  return ::syscall(SYS_pwrite64, file, bytes, size, offset);
}
EXPORTED ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return pwrite(file, bytes, size, offset);
}

EXPORTED int fsync(int file) {
  if (fails(file, &FileFaults::sync_error)) return -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}
EXPORTED int fdatasync(int file) {
  if (fails(file, &FileFaults::sync_error)) return -1;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

EXPORTED int ftruncate(int file, off_t size) noexcept {
  if (fails(file, &FileFaults::truncate_error)) return -1;
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
EXPORTED int ftruncate64(int file, off64_t size) noexcept { return ftruncate(file, size); }

EXPORTED int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  if (fails_at(to_folder, to, &FileFaults::rename_error)) return -1;
  return static_cast<int>(::syscall(SYS_renameat, from_folder, from, to_folder, to));
}
EXPORTED int rename(const char* from, const char* to) noexcept {
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

EXPORTED int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  if (fails_at(folder, path, &FileFaults::make_error)) return -1;
  return static_cast<int>(::syscall(SYS_mkdirat, folder, path, mode));
}
EXPORTED int mkdir(const char* path, mode_t mode) noexcept { return mkdirat(AT_FDCWD, path, mode); }

EXPORTED int symlinkat(const char* text, int folder, const char* path) noexcept {
  if (fails_at(folder, path, &FileFaults::make_error)) return -1;
  return static_cast<int>(::syscall(SYS_symlinkat, text, folder, path));
}
EXPORTED int symlink(const char* text, const char* path) noexcept {
  return symlinkat(text, AT_FDCWD, path);
}
