// The other half of write_file() in temporary_directory.h.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace longshore::test {

// The text of a small file, such as the kernel's; empty when there is none.
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace longshore::test
