// A small Windows DLL made in memory, with what a module's file has: for the PE reader, which is
// tested and fuzzed on Linux too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace longshore::loader {

struct PeContents {
  uint16_t machine = 0x8664;
  uint16_t characteristics = 0x2022;  // a DLL
  std::vector<std::string> exports = {"longshore_module"};
  std::vector<std::string> libraries = {"KERNEL32.dll"};
  std::string name = "longshore-small";
  std::string description = "description";
};

class PeImage {
 public:
  // Where the one section is in memory and in the file, and where the entry stands in it.
  static constexpr uint32_t kAddress = 0x1000;
  static constexpr uint32_t kOffset = 0x200;
  static constexpr uint64_t kBase = 0x180000000;
  static constexpr size_t kSections = 0x40 + 24 + 240;     // the table of sections
  static constexpr size_t kDirectories = 0x40 + 24 + 112;  // exports, then imports

  explicit PeImage(const PeContents& contents = {});

  std::vector<std::byte> bytes;

  template <typename T>
  void put(size_t offset, T value) {
    if (bytes.size() < offset + sizeof(T)) bytes.resize(offset + sizeof(T));
    std::memcpy(bytes.data() + offset, &value, sizeof(T));
  }

 private:
  uint32_t append_text(const std::string& text);
  void append_entry(const PeContents& contents);
  void append_exports(const std::vector<std::string>& names);
  void append_imports(const std::vector<std::string>& libraries);
  uint32_t end_address() const { return static_cast<uint32_t>(bytes.size()) - kOffset + kAddress; }
};

}  // namespace longshore::loader
