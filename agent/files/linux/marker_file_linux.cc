#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "files/linux/trusted_folder.h"
#include "files/marker_file.h"
#include "longshore/linux/file_descriptor.hpp"

namespace longshore::files {
namespace {

constexpr size_t kMaxBytes = 64 << 10;

class LinuxMarkerFile final : public MarkerFile {
 public:
  LinuxMarkerFile(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string read() override {
    std::string text(kMaxBytes, '\0');
    const ssize_t size = pread(file_.get(), text.data(), text.size(), 0);
    text.resize(size < 0 ? 0 : static_cast<size_t>(size));
    return text;
  }

  // In place and at once: a text of one block is there or is not.
  Result<void> write(const std::string& text, bool sync) override {
    std::error_code error = error_unless(lseek(file_.get(), 0, SEEK_SET) == 0);
    if (!error) error = write_all(file_.get(), text);
    if (!error) {
      error = error_unless(ftruncate(file_.get(), static_cast<off_t>(text.size())) == 0);
    }
    if (!error && sync) error = error_unless(fdatasync(file_.get()) == 0);
    if (!error) return {};
    return Error(StatusCode::kUnknown, "write", path_).because(error);
  }

 private:
  const std::string path_;
  const FileDescriptor file_;
};

}  // namespace

Result<std::unique_ptr<MarkerFile>> MarkerFile::open(const std::string& path) {
  const std::filesystem::path whole(path);
  const auto folder = TrustedFolder::make(whole.parent_path().string(), 0755);
  if (!folder) return folder.error();
  auto opened = folder->open_file(whole.filename().string(), O_RDWR | O_CREAT, 0600);
  if (!opened) return opened.error();
  return std::unique_ptr<MarkerFile>(std::make_unique<LinuxMarkerFile>(path, *std::move(opened)));
}

}  // namespace longshore::files
