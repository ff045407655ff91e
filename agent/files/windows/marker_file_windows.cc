#include <filesystem>
#include <utility>

#include "files/marker_file.h"
#include "files/windows/own_file.h"
#include "longshore/windows/wide_text.hpp"

namespace longshore::files {
namespace {

constexpr DWORD kMaxBytes = 64 << 10;

class WindowsMarkerFile final : public MarkerFile {
 public:
  WindowsMarkerFile(std::string path, Handle file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string read() override {
    std::string text(kMaxBytes, '\0');
    DWORD size = 0;
    if (!to_begin() || !ReadFile(file_.get(), text.data(), kMaxBytes, &size, nullptr)) size = 0;
    text.resize(size);
    return text;
  }

  // In place and at once: a text of one block is there or is not.
  Result<void> write(const std::string& text, bool sync) override {
    std::error_code error = error_unless(to_begin());
    if (!error) error = write_all(file_.get(), text);
    if (!error) error = error_unless(SetEndOfFile(file_.get()) != FALSE);
    if (!error && sync) error = error_unless(FlushFileBuffers(file_.get()) != FALSE);
    if (!error) return {};
    return Error(StatusCode::kUnknown, "write", path_).because(error);
  }

 private:
  bool to_begin() const { return SetFilePointer(file_.get(), 0, nullptr, FILE_BEGIN) == 0; }

  const std::string path_;
  const Handle file_;
};

}  // namespace

Result<std::unique_ptr<MarkerFile>> MarkerFile::open(const std::string& path) {
  if (auto made = make_own_folder(std::filesystem::path(wide(path)).parent_path().string());
      !made) {
    return std::move(made).error();
  }
  auto file = open_own_file(path, GENERIC_READ | GENERIC_WRITE, OthersMay::kRead);
  if (!file) return std::move(file).error();
  return std::unique_ptr<MarkerFile>(std::make_unique<WindowsMarkerFile>(path, *std::move(file)));
}

}  // namespace longshore::files
