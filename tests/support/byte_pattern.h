// As many bytes as a disk has, from a seed: what nobody may touch is filled with them and compared
// in the end.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/require.h"

namespace longshore::test {

// Threads: immutable.
class BytePattern {
 public:
  // `bytes` are whole MiB.
  BytePattern(uint64_t seed, uint64_t bytes) : seed_(seed), bytes_(bytes) {}

  // Onto a device as large, and flushed.
  void write_to(const std::string& node) const {
    const FileDescriptor opened(::open(node.c_str(), O_WRONLY | O_CLOEXEC));
    require(static_cast<bool>(opened), "cannot open " + node);
    each_block([&](const std::string& block) {
      require(
          ::write(opened.get(), block.data(), block.size()) == static_cast<ssize_t>(block.size()),
          "cannot write to " + node);
    });
    require(::fsync(opened.get()) == 0, "cannot flush " + node);
  }

  // Whether the file has these bytes and no others.
  bool is_in(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    bool equal = std::filesystem::file_size(path) == bytes_;
    std::string found(kBlockBytes, '\0');
    each_block([&](const std::string& block) {
      equal = equal && file.read(found.data(), static_cast<std::streamsize>(found.size())) &&
              found == block;
    });
    return equal;
  }

 private:
  template <typename Use>
  void each_block(const Use& use) const {
    std::mt19937_64 random(seed_);
    std::string block;
    for (uint64_t written = 0; written < bytes_; written += kBlockBytes) {
      block.clear();
      while (block.size() < kBlockBytes) {
        const uint64_t number = random();
        block.append(reinterpret_cast<const char*>(&number), sizeof(number));
      }
      use(block);
    }
  }

  static constexpr size_t kBlockBytes = 1 << 20;

  const uint64_t seed_, bytes_;
};

}  // namespace longshore::test
