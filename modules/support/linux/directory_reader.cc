#include "support/linux/directory_reader.h"

#include <dirent.h>

namespace longshore::support {

std::optional<DirectoryReader::Entry> DirectoryReader::next() {
  error_.clear();
  for (;;) {
    if (position_ == size_) {
      const ssize_t size = ::getdents64(directory_.get(), buffer_.data(), buffer_.size());
      const std::error_code error = error_unless(size >= 0);
      // ENOENT: the directory itself has been removed, so nothing is in it.
      if (error != std::errc::no_such_file_or_directory) error_ = error;
      if (size <= 0) return std::nullopt;
      size_ = static_cast<size_t>(size);
      position_ = 0;
    }
    const auto* entry = reinterpret_cast<const dirent64*>(buffer_.data() + position_);
    position_ += entry->d_reclen;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return Entry{name, entry->d_type == DT_DIR};
  }
}

void DirectoryReader::rewind() {
  ::lseek(directory_.get(), 0, SEEK_SET);
  size_ = position_ = 0;
}

}  // namespace longshore::support
