#include "support/allowed_roots.h"

#include <algorithm>

namespace longshore::support {

AllowedRoots::AllowedRoots(std::vector<Path> roots) : roots_(std::move(roots)) {
  // A path is never shorter than one that it lies within.
  std::stable_sort(roots_.begin(), roots_.end(), [](const Path& left, const Path& right) {
    return left.text().size() < right.text().size();
  });
}

Result<AllowedRoots> AllowedRoots::from(const std::vector<std::string>& roots) {
  if (roots.empty()) {
    return Error(StatusCode::kInvalidArgument, "use settings.allowed_roots")
        .because("it names no directory, so that every call would be refused")
        .advise("name at least one, or switch the module off");
  }
  std::vector<Path> parsed;
  for (const std::string& root : roots) {
    Result<Path> path = Path::parse(root, "use as an allowed root");
    if (!path) return std::move(path).error();
    parsed.push_back(*std::move(path));
  }
  return AllowedRoots(std::move(parsed));
}

Result<Path> AllowedRoots::check(std::string_view path, std::string_view operation) const {
  return within_roots(Path::parse(path, operation), operation);
}

Result<Path> AllowedRoots::check_rooted(std::string_view path, std::string_view operation) const {
  return within_roots(Path::parse_rooted(path, operation), operation);
}

Result<Path> AllowedRoots::within_roots(Result<Path> parsed, std::string_view operation) const {
  if (!parsed || root_of(*parsed) != nullptr) return parsed;
  return Error(StatusCode::kPermissionDenied, std::string(operation), parsed->text())
      .because("the path is not within the allowed roots " + describe())
      .advise("settings.allowed_roots of the module says which paths may be reached");
}

const Path* AllowedRoots::root_of(const Path& path) const {
  return first_root([&](const Path& root) { return path.is_within(root); });
}

const Path* AllowedRoots::root_within(const Path& path) const {
  return first_root([&](const Path& root) { return root.is_within(path); });
}

const Path* AllowedRoots::root_below(const Path& path) const {
  return first_root([&](const Path& root) { return root.is_within(path) && root != path; });
}

std::string AllowedRoots::describe() const {
  std::string text;
  for (const Path& root : roots_) {
    text.append(text.empty() ? "[\"" : ", \"").append(root.text()).append("\"");
  }
  return text + "]";
}

}  // namespace longshore::support
