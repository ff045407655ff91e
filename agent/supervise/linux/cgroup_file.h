// Files of the kernel's that are read and written whole, such as those of a control group.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::supervise {

// Empty when it cannot be read.
inline std::string read_control_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = ::read(file.get(), buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(size));
  }
  return text;
}

// In one piece: the kernel takes it or refuses it as a whole.
inline Result<void> write_control_file(const std::string& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  const std::error_code error =
      file ? error_unless(::write(file.get(), text.data(), text.size()) >= 0) : file.error();
  if (!error) return {};
  return Error(StatusCode::kUnknown, "write \"" + text + "\" to", path).because(error);
}

}  // namespace longshore::supervise
