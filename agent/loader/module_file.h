// A module's file on its way in: found, checked for ownership, read once, sealed and hashed.
//
// What is hashed, inspected and loaded are the very same bytes: on Linux a sealed memfd that no
// path leads to any more, so replacing the file meanwhile changes nothing. On Windows the file
// stays open and cannot be written or replaced as long as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/user_id.h"
#include "longshore/result.hpp"

namespace longshore::loader {

// What the names of modules' files end with on this system.
#if defined(_WIN32)
inline constexpr const char* kModuleSuffix = ".dll";
#else
inline constexpr const char* kModuleSuffix = ".so";
#endif

// Finds the file of `library`: an absolute path as it is, a plain name ("longshore-disk") with the
// system's suffix in the first of `folders` that has it. NOT_FOUND where there is none.
Result<std::string> find_module_file(const std::string& library,
                                     const std::vector<std::string>& folders);

// The paths that it looks at, in its order.
std::vector<std::string> module_file_candidates(const std::string& library,
                                                const std::vector<std::string>& folders);

class ModuleFile {
 public:
  // Reads the regular file at `path`. It and every folder above must belong to one of `owners`
  // (user ids; root always counts) and be closed to writes by others; an empty list skips that.
  static Result<ModuleFile> open(const std::string& path,
                                 const std::vector<config::UserId>& owners);

  ModuleFile(ModuleFile&& other) noexcept;
  ModuleFile& operator=(ModuleFile&&) = delete;
  ~ModuleFile();

  const std::string& path() const { return path_; }
  // Lower-case hexadecimal.
  const std::string& sha256() const { return sha256_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  // Gives back the memory of `bytes`, which are not needed once the image is loaded.
  void forget_bytes();

  // A path from which the system's loader gets exactly these bytes, as long as this object lives.
  std::string loadable_path() const;

 private:
  ModuleFile() = default;
  Result<void> read(const std::string& path);

  std::string path_;
  std::string sha256_;
  std::span<const std::byte> bytes_;  // a mapping of the sealed copy
  intptr_t handle_ = -1;              // a descriptor, or a Windows handle
};

}  // namespace longshore::loader
