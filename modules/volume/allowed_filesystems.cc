#include "volume/allowed_filesystems.h"

#include <algorithm>
#include <utility>

namespace longshore::volume {
namespace {

constexpr size_t kMostBytes = 32;

bool is_type(std::string_view name) {
  return !name.empty() && name.size() <= kMostBytes && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

Result<AllowedFilesystems> AllowedFilesystems::from(const std::vector<std::string>& types) {
  std::set<std::string, std::less<>> allowed;
  for (const std::string& type : types) {
    if (!is_type(type)) {
      return Error(StatusCode::kInvalidArgument, "use in allowed_filesystems", type)
          .because("it is no type of a filesystem, as \"ext4\" or \"xfs\"");
    }
    allowed.insert(type == "ntfs3" ? "ntfs" : type);
  }
  return AllowedFilesystems(std::move(allowed));
}

Result<void> AllowedFilesystems::check(std::string_view type, std::string_view operation,
                                       const std::string& object) const {
  if (types_.contains(type)) return {};
  return Error(StatusCode::kFailedPrecondition, std::string(operation), object)
      .because("filesystems of the type " + std::string(type) + " are not mounted here")
      .advise("the option allowed_filesystems of the module volume lists those that are");
}

}  // namespace longshore::volume
