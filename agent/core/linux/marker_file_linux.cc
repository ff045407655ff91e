#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "core/marker_file.h"
#include "longshore/linux/file_descriptor.hpp"
#include "observe/other_process.h"

namespace longshore::core {
namespace {

constexpr size_t kMaxBytes = 64 << 10;

class LinuxMarkerFile final : public MarkerFile {
 public:
  LinuxMarkerFile(std::string path, int descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}
  ~LinuxMarkerFile() override { close(descriptor_); }

  std::string read() override {
    std::string text(kMaxBytes, '\0');
    const ssize_t size = pread(descriptor_, text.data(), text.size(), 0);
    text.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return text;
  }

  // In place and at once: a text of one block is there or is not.
  Result<void> write(const std::string& text, bool sync) override {
    const ssize_t written = pwrite(descriptor_, text.data(), text.size(), 0);
    const bool done = written == static_cast<ssize_t>(text.size()) &&
                      ftruncate(descriptor_, written) == 0 &&
                      (!sync || fdatasync(descriptor_) == 0);
    if (done) return {};
    return Error(StatusCode::kUnknown, "write", path_).because(last_error());
  }

 private:
  const std::string path_;
  const int descriptor_;
};

}  // namespace

Result<std::unique_ptr<MarkerFile>> MarkerFile::open(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor < 0) return Error(StatusCode::kUnknown, "open", path).because(last_error());
  auto file = std::make_unique<LinuxMarkerFile>(path, descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    Error error(StatusCode::kFailedPrecondition, "lock", path);
    if (errno != EWOULDBLOCK) return std::move(error).because(last_error().message());
    return observe::taken_by(observe::lock_holder_of(descriptor), std::move(error), "has it",
                             "state_dir");
  }
  return std::unique_ptr<MarkerFile>(std::move(file));
}

}  // namespace longshore::core
