#include "loader/module_file.h"

#include <filesystem>
#include <utility>

namespace longshore::loader {

namespace fs = std::filesystem;

Result<std::string> find_module_file(const std::string& library,
                                     const std::vector<std::string>& folders) {
  const fs::path path(library);
  if (path.is_absolute()) return library;
  if (path.has_parent_path() || library.empty() || library == "." || library == "..") {
    return Error(StatusCode::kInvalidArgument, "find the module", library)
        .because("it is neither a plain name nor an absolute path");
  }
  std::string tried;
  for (const std::string& folder : folders) {
    const fs::path candidate = fs::path(folder) / (library + kModuleSuffix);
    std::error_code ignored;  // what cannot be looked at is not there
    if (fs::exists(candidate, ignored)) return candidate.string();
    tried += (tried.empty() ? "" : ", ") + candidate.string();
  }
  return Error(StatusCode::kNotFound, "find the module", library)
      .because(tried.empty() ? "agent.module_dirs names no folder" : "there is no " + tried)
      .advise("install the module or correct `library` and `agent.module_dirs`");
}

std::string hexadecimal(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

ModuleFile::ModuleFile(ModuleFile&& other) noexcept
    : path_(std::move(other.path_)),
      sha256_(std::move(other.sha256_)),
      bytes_(std::exchange(other.bytes_, {})),
      handle_(std::exchange(other.handle_, -1)) {}

}  // namespace longshore::loader
