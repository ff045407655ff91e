// Another file of the same module, as a vendor's next build is: other bytes, another version.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tests/support/temporary_directory.h"

namespace longshore::test {

// Copies the module `from`, with the version `old_version` in it replaced by one as long.
inline void write_other_build(const std::string& from, const std::string& to,
                              const std::string& old_version = "0.1.0",
                              const std::string& new_version = "9.9.9") {
  std::ifstream file(from, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string old_text = '\0' + old_version + '\0';
  size_t count = 0;
  for (size_t at = bytes.find(old_text); at != bytes.npos; at = bytes.find(old_text, at + 1)) {
    bytes.replace(at + 1, new_version.size(), new_version);
    ++count;
  }
  if (count == 0) throw std::runtime_error(from + " does not have the version " + old_version);
  write_file(to, bytes);
}

}  // namespace longshore::test
