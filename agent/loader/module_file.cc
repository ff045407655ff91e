#include "loader/module_file.h"

#include <filesystem>
#include <utility>

#include "text/file_path.h"

namespace longshore::loader {

namespace fs = std::filesystem;

std::vector<std::string> module_file_candidates(const std::string& library,
                                                const std::vector<std::string>& folders) {
  if (fs::path(library).is_absolute()) return {library};
  std::vector<std::string> candidates;
  candidates.reserve(folders.size());
  for (const std::string& folder : folders) {
    candidates.push_back(
        (text::file_path(folder) / text::file_path(library + kModuleSuffix)).string());
  }
  return candidates;
}

Result<std::string> find_module_file(const std::string& library,
                                     const std::vector<std::string>& folders) {
  const fs::path path = text::file_path(library);
  const bool is_name = !path.has_parent_path() && library != "." && library != "..";
  if (library.empty() || (!is_name && !path.is_absolute())) {
    return Error(StatusCode::kInvalidArgument, "find the module", library)
        .because("it is neither a plain name nor an absolute path");
  }
  std::string tried;
  for (const std::string& candidate : module_file_candidates(library, folders)) {
    std::error_code ignored;  // what cannot be looked at is not there
    if (fs::exists(text::file_path(candidate), ignored)) return candidate;
    tried += (tried.empty() ? "" : ", ") + candidate;
  }
  return Error(StatusCode::kNotFound, "find the module", library)
      .because(tried.empty() ? "agent.module_dirs names no folder" : "there is no " + tried)
      .advise("install the module or correct `library` and `agent.module_dirs`");
}

ModuleFile::ModuleFile(ModuleFile&& other) noexcept
    : path_(std::move(other.path_)),
      sha256_(std::move(other.sha256_)),
      bytes_(std::exchange(other.bytes_, {})),
      handle_(std::exchange(other.handle_, -1)) {}

}  // namespace longshore::loader
