#include "system/linux/bios_serial.h"

#include <fcntl.h>

#include <array>
#include <string_view>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::system {

namespace {

constexpr const char* kOperation = "read the machine's serial number";

// Without blanks, newlines and the zero that ends a device tree's text.
std::string trimmed(std::string_view text) {
  const std::string_view blanks(" \t\r\n\0", 5);
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

Result<std::string> read_attribute(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return Error(StatusCode::kUnknown, kOperation, path).because(file.error());
  std::array<char, 4096> text;  // sysfs gives a page at most, in one read
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (const std::error_code error = error_unless(size >= 0)) {
    return Error(StatusCode::kUnknown, kOperation, path).because(error);
  }
  return trimmed(std::string_view(text.data(), static_cast<size_t>(size)));
}

}  // namespace

Result<std::string> read_bios_serial(const std::string& sysfs) {
  for (const char* source :
       {"/class/dmi/id/product_serial", "/firmware/devicetree/base/serial-number"}) {
    Result<std::string> serial = read_attribute(sysfs + source);
    if (serial && !serial->empty()) return serial;
    if (!serial && serial.error().code() != StatusCode::kNotFound) return serial;
  }
  return Error(StatusCode::kNotFound, kOperation)
      .because("neither its firmware (DMI) nor its device tree has one");
}

}  // namespace longshore::system
