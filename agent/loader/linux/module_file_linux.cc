#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "config/ownership.h"
#include "loader/module_file.h"
#include "longshore/linux/file_descriptor.hpp"
#include "observe/sha256.h"

namespace longshore::loader {
namespace {

constexpr off_t kMaxFileBytes = 512 << 20;

Error cannot_read(const std::string& path) {
  return Error(StatusCode::kUnknown, "read the module", path);
}

// Copies all of `source` to `target`; the size was looked up before, a file that shrinks ends it.
Result<void> copy(int source, int target, off_t size, const std::string& path) {
  for (off_t done = 0; done < size;) {
    const ssize_t count = sendfile(target, source, &done, static_cast<size_t>(size - done));
    if (count < 0 && errno == EINTR) continue;
    if (const std::error_code error = error_unless(count >= 0)) {
      return cannot_read(path).because(error);
    }
    if (count == 0) return cannot_read(path).because("it became shorter while it was read");
  }
  return {};
}

}  // namespace

Result<ModuleFile> ModuleFile::open(const std::string& path, const std::vector<unsigned>& owners) {
  if (!owners.empty()) {
    if (auto owned = config::check_ownership(path, owners); !owned) return std::move(owned).error();
  }
  ModuleFile file;
  if (auto read = file.read(path); !read) return std::move(read).error();
  return file;
}

Result<void> ModuleFile::read(const std::string& path) {
  path_ = path;
  // O_NONBLOCK: a FIFO of that name must not hang the agent.
  const FileDescriptor source(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  std::error_code error = source ? error_unless(fstat(source.get(), &status) == 0) : source.error();
  if (error) return cannot_read(path).because(error);
  if (!S_ISREG(status.st_mode)) return cannot_read(path).because("it is not a regular file");
  if (status.st_size == 0 || status.st_size > kMaxFileBytes) {
    return cannot_read(path).because("its size of " + std::to_string(status.st_size) +
                                     " bytes is not a module's");
  }
  const int copy_of_file = memfd_create("longshore-module", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  error = error_unless(copy_of_file >= 0);
  handle_ = copy_of_file;
  if (error) return cannot_read(path).because(error);
  if (auto copied = copy(source.get(), copy_of_file, status.st_size, path); !copied) return copied;
  // Nothing has mapped it for writing, so that forbidding all future writes is enough; F_SEAL_WRITE
  // itself fails while the kernel has one of the pages in its hands, as it may on a busy machine.
  error = error_unless(fcntl(copy_of_file, F_ADD_SEALS,
                             F_SEAL_FUTURE_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0);
  if (error) return cannot_read(path).because(error);
  const auto size = static_cast<size_t>(status.st_size);
  void* mapping = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, copy_of_file, 0);
  error = error_unless(mapping != MAP_FAILED);
  if (error) return cannot_read(path).because(error);
  bytes_ = {static_cast<const std::byte*>(mapping), size};
  sha256_ = observe::sha256_of(bytes_);
  return {};
}

ModuleFile::~ModuleFile() {
  forget_bytes();
  if (handle_ >= 0) close(static_cast<int>(handle_));
}

void ModuleFile::forget_bytes() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  bytes_ = {};
}

std::string ModuleFile::loadable_path() const { return "/proc/self/fd/" + std::to_string(handle_); }

}  // namespace longshore::loader
