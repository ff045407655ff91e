#include "kube/changing_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "text/file_path.h"
#include "text/read_at_most.h"

namespace longshore::kube {
namespace {

constexpr size_t kMostBytes = 4u << 20;  // a kubeconfig of very many clusters

constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::string_view ChangingFile::trimmed() const {
  const std::string_view text = text_.text();
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Result<void> ChangingFile::read() {
  Result<void> read = read_now();
  return read || version_ == 0 ? read : Result<void>();
}

Result<void> ChangingFile::read_now() {
  const auto failed = [&] { return Error(StatusCode::kUnknown, "read the file", path_); };
  const std::filesystem::path path = text::file_path(path_);
  std::error_code error;
  // A FIFO would be waited for, and some devices have no end.
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return failed().because("it is not a regular file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return failed().because(std::error_code(errno, std::generic_category()));
  std::optional<std::string> text = text::read_at_most(file, kMostBytes);
  if (!text) return failed().because("it is longer than 4 MiB");
  if (version_ == 0 || *text != text_.text()) {
    text_ = Secret(*text);
    ++version_;
  }
  wipe(*text);
  return {};
}

}  // namespace longshore::kube
