#include "support/allowed_roots.h"

#include <algorithm>

namespace longshore::support {

AllowedRoots::AllowedRoots(std::vector<PosixPath> roots) : roots_(std::move(roots)) {
  // A path is never shorter than one that it lies within.
  std::stable_sort(roots_.begin(), roots_.end(), [](const PosixPath& left, const PosixPath& right) {
    return left.text().size() < right.text().size();
  });
}

Result<AllowedRoots> AllowedRoots::from(const std::vector<std::string>& roots) {
  if (roots.empty()) {
    return Error(StatusCode::kInvalidArgument, "use the option allowed_roots")
        .because("it names no directory, so that every call would be refused")
        .advise("name at least one, or switch the module off");
  }
  std::vector<PosixPath> parsed;
  for (const std::string& root : roots) {
    Result<PosixPath> path = PosixPath::parse(root, "use as an allowed root");
    if (!path) return std::move(path).error();
    parsed.push_back(*std::move(path));
  }
  return AllowedRoots(std::move(parsed));
}

Result<PosixPath> AllowedRoots::check(std::string_view path, std::string_view operation) const {
  Result<PosixPath> parsed = PosixPath::parse(path, operation);
  if (!parsed || root_of(*parsed) != nullptr) return parsed;
  return Error(StatusCode::kPermissionDenied, std::string(operation), parsed->text())
      .because("the path is not within the working directories " + describe())
      .advise("the option allowed_roots of the module says which paths may be reached");
}

const PosixPath* AllowedRoots::root_of(const PosixPath& path) const {
  return first_root([&](const PosixPath& root) { return path.is_within(root); });
}

const PosixPath* AllowedRoots::root_within(const PosixPath& path) const {
  return first_root([&](const PosixPath& root) { return root.is_within(path); });
}

const PosixPath* AllowedRoots::root_below(const PosixPath& path) const {
  return first_root([&](const PosixPath& root) { return root.is_within(path) && root != path; });
}

std::string AllowedRoots::describe() const {
  std::string text;
  for (const PosixPath& root : roots_) {
    text.append(text.empty() ? "[\"" : ", \"").append(root.text()).append("\"");
  }
  return text + "]";
}

}  // namespace longshore::support
