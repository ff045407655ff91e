// What a module's file says of itself, read without running any of its code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::loader {

// `longshore_module_entry` and what its pointers point to, copied out of the file.
struct EntryFacts {
  uint64_t magic = 0;
  uint32_t struct_size = 0;
  uint16_t abi_major = 0;
  uint16_t abi_minor_needed = 0;
  std::string name;
  std::string version;
  std::string vendor;
  std::string description;  // serialised longshore.module.v1.Description
};

struct ImageFacts {
  std::vector<std::string> exports;    // names of all symbols that others could bind to
  std::vector<std::string> libraries;  // names of the libraries that it needs
  bool has_search_path = false;        // RPATH or RUNPATH: it would choose where these come from
  EntryFacts entry;
};

// Reads an ELF shared object of this machine's kind. Every offset and size in the file is checked:
// a hostile file gets an error, whatever it says. `bytes` is the whole file.
Result<ImageFacts> read_elf(std::span<const std::byte> bytes);

// The same for a Windows DLL.
Result<ImageFacts> read_pe(std::span<const std::byte> bytes);

// Whichever of the two this system loads.
inline Result<ImageFacts> read_image(std::span<const std::byte> bytes) {
#if defined(_WIN32)
  return read_pe(bytes);
#else
  return read_elf(bytes);
#endif
}

// The symbol that a module exports, and nothing else.
inline constexpr std::string_view kEntrySymbol = "longshore_module";

// Bounds that no honest module comes near.
inline constexpr size_t kMaxTextBytes = 4096;
inline constexpr size_t kMaxDescriptionBytes = 16u << 20;
inline constexpr size_t kMaxSymbols = 1u << 20;

}  // namespace longshore::loader
