#include "main/installed_modules.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "loader/module_file.h"
#include "text/file_path.h"

namespace longshore {
namespace {

constexpr std::string_view kLibraryPrefix = "longshore-";

}  // namespace

std::map<std::string, std::string> installed_modules(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> libraries;
  for (const std::string& folder : folders) {
    std::error_code ignored;  // a folder that is not there has no modules
    for (const auto& entry :
         std::filesystem::directory_iterator(text::file_path(folder), ignored)) {
      const std::string library = entry.path().stem().string();
      if (!library.starts_with(kLibraryPrefix) ||
          entry.path().extension() != loader::kModuleSuffix) {
        continue;
      }
      libraries[library.substr(kLibraryPrefix.size())] = library;
    }
  }
  return libraries;
}

}  // namespace longshore
