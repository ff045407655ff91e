// Reads the names in an opened directory, a buffer at a time.
//
// Owner: one thread. Entries may be removed while reading; whether those that appear meanwhile are
// seen is the filesystem's choice.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::support {

class DirectoryReader {
 public:
  struct Entry {
    std::string_view name;  // valid until the next call
    bool is_directory;      // as far as the filesystem says; a link to a directory is none
  };

  // `directory` is open for reading.
  explicit DirectoryReader(FileDescriptor directory) : directory_(std::move(directory)) {}

  const FileDescriptor& descriptor() const { return directory_; }

  // The next entry, without "." and ".."; nothing at the end, and where error() tells why it is
  // none.
  std::optional<Entry> next();

  // What kept the last next() from reading; nothing if it read an entry or the end.
  const std::error_code& error() const { return error_; }

  // Starts again from the first entry.
  void rewind();

 private:
  FileDescriptor directory_;
  size_t size_ = 0;
  size_t position_ = 0;
  std::error_code error_;
  alignas(8) std::array<std::byte, 16 << 10> buffer_;
};

}  // namespace longshore::support
