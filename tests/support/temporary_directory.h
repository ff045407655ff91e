// A directory of a test's own, gone with all it holds when the test ends.
#pragma once

#include <stdlib.h>

#if defined(_WIN32)
#include <process.h>

#include <atomic>
#endif

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace longshore::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_(make()) {}
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
#if defined(_WIN32)
  static std::filesystem::path make() {
    static std::atomic<int> count = 0;
    // Processes get the numbers of those that have ended, and one that was killed has left its own.
    for (int tries = 0; tries < 1000; ++tries) {
      const std::string name =
          "longshore-test-" + std::to_string(::_getpid()) + "-" + std::to_string(++count);
      const std::filesystem::path made = std::filesystem::temp_directory_path() / name;
      if (std::filesystem::create_directory(made)) return made;
    }
    throw std::runtime_error("no temporary directory");
  }
#else
  static std::filesystem::path make() {
    std::string name = std::filesystem::temp_directory_path() / "longshore-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    return name;
  }
#endif

  std::filesystem::path path_;
};

inline void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace longshore::test
