#include "support/linux/block/sysfs.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::block {

namespace {

// More than any attribute has; page 83 has at most 64 KiB.
constexpr size_t kMaxAttributeBytes = 64 << 10;

}  // namespace

std::optional<std::string> read_attribute(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string bytes;
  char buffer[4096];
  while (bytes.size() < kMaxAttributeBytes) {
    const ssize_t size = ::read(file.get(), buffer, sizeof(buffer));
    if (size < 0) return std::nullopt;
    if (size == 0) break;
    bytes.append(buffer, static_cast<size_t>(size));
  }
  return bytes;
}

std::optional<std::string> read_text_attribute(const std::string& path) {
  const auto bytes = read_attribute(path);
  if (!bytes) return std::nullopt;
  constexpr const char* kSpace = " \t\n\r\v\f";
  const size_t first = bytes->find_first_not_of(kSpace);
  if (first == std::string::npos) return std::string();
  return bytes->substr(first, bytes->find_last_not_of(kSpace) - first + 1);
}

std::optional<uint64_t> read_number_attribute(const std::string& path) {
  const auto text = read_text_attribute(path);
  uint64_t number = 0;
  if (!text) return std::nullopt;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

std::optional<dev_t> read_device_attribute(const std::string& path) {
  const auto text = read_text_attribute(path);
  if (!text) return std::nullopt;
  unsigned numbers[2] = {};
  const char* position = text->data();
  const char* const end = position + text->size();
  for (unsigned& number : numbers) {
    const auto [next, error] = std::from_chars(position, end, number);
    if (error != std::errc()) return std::nullopt;
    position = next == end ? next : next + 1;  // over the colon
  }
  return makedev(numbers[0], numbers[1]);
}

std::error_code write_attribute(const std::string& path, const std::string& value) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return file.error();
  // As echo writes it: SCSI's "state" takes a word only with the line's end.
  const std::string line = value + '\n';
  return error_unless(::write(file.get(), line.data(), line.size()) >= 0);
}

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end;) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);  // a directory that goes away meanwhile throws otherwise
  }
  std::ranges::sort(names);
  return names;
}

std::string link_name(const std::string& path) {
  std::error_code error;
  return std::filesystem::read_symlink(path, error).filename().string();
}

bool can_be_opened(const std::string& disk) { return !link_name(disk + "/bdi").empty(); }

}  // namespace longshore::block
