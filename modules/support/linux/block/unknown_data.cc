#include "support/linux/block/unknown_data.h"

#include <unistd.h>

#include <algorithm>

#include "support/linux/block/device_failure.h"

namespace longshore::block {

namespace {

constexpr uint64_t kEnd = uint64_t{1} << 20;

}  // namespace

ByteRange first_end_of(const ByteRange& range) {
  return {range.offset, std::min(kEnd, range.size)};
}

ByteRange last_end_of(const ByteRange& range) {
  const uint64_t size = std::min(kEnd, range.size);
  return {range.offset + range.size - size, size};
}

Result<std::string> read_range(const FileDescriptor& disk, const ByteRange& range,
                               const std::string& object) {
  constexpr const char* kLookAt = "look whether nothing is on";
  std::string bytes(range.size, '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t part = ::pread(disk.get(), bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(range.offset + done));
    if (const std::error_code error = error_unless(part >= 0)) {
      return device_failure(StatusCode::kUnknown, kLookAt, object, error);
    }
    if (part == 0) break;  // it became smaller
    done += static_cast<size_t>(part);
  }
  return bytes;
}

Result<std::optional<uint64_t>> first_data_in(const FileDescriptor& disk, const ByteRange& range,
                                              const std::string& object) {
  const Result<std::string> bytes = read_range(disk, range, object);
  if (!bytes) return bytes.error();
  const size_t found = bytes->find_first_not_of('\0');
  if (found == std::string::npos) return std::optional<uint64_t>();
  return std::optional(range.offset + found);
}

Result<std::optional<uint64_t>> first_data_at_ends(const FileDescriptor& disk,
                                                   const ByteRange& range,
                                                   const std::string& object) {
  auto first = first_data_in(disk, first_end_of(range), object);
  if (!first || *first) return first;
  return first_data_in(disk, last_end_of(range), object);
}

Result<void> zero_ends(const FileDescriptor& disk, const ByteRange& range,
                       const std::string& object) {
  const auto failed = [&](const std::error_code& error) {
    return device_failure(StatusCode::kUnknown, "write zeros over the ends of", object, error);
  };
  const std::string zeros(first_end_of(range).size, '\0');
  for (const ByteRange& end : {first_end_of(range), last_end_of(range)}) {
    size_t done = 0;
    while (done < zeros.size()) {
      const ssize_t part = ::pwrite(disk.get(), zeros.data() + done, zeros.size() - done,
                                    static_cast<off_t>(end.offset + done));
      if (const std::error_code error = error_unless(part >= 0)) return failed(error);
      done += static_cast<size_t>(part);
    }
  }
  if (const std::error_code error = error_unless(::fsync(disk.get()) == 0)) return failed(error);
  return {};
}

}  // namespace longshore::block
