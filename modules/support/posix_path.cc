#include "support/posix_path.h"

#include <algorithm>

#include "support/ascii.h"
#include "support/quotable_path.h"

namespace longshore::support {
namespace {

// A backslash is legal in a POSIX name, but in a request it is a Windows path nearly every time,
// and taking it for a name would quietly make entries nobody finds again.
bool looks_like_windows(std::string_view text) {
  return (text.size() >= 2 && is_letter(text[0]) && text[1] == ':') ||
         text.find('\\') != std::string_view::npos;
}

// What is wrong with the text, whose names are given, or "".
std::string complaint_about(std::string_view text, const std::vector<std::string_view>& names) {
  if (text.size() > PosixPath::kMaxBytes) {
    return "the path's length of " + std::to_string(text.size()) +
           " bytes exceeds maximum characters: " + std::to_string(PosixPath::kMaxBytes);
  }
  if (text.find('\0') != std::string_view::npos) {
    return "the path contains invalid characters: a NUL byte";
  }
  if (looks_like_windows(text)) {
    return "this is a Windows path (a drive letter or a backslash), with invalid characters for "
           "this node: paths are POSIX paths here, such as /var/lib/kubelet/plugins";
  }
  if (text.empty()) return "the path is empty, so it is not an absolute path";
  if (text.front() != '/') return "the path does not begin with / and so is not an absolute path";
  for (const std::string_view name : names) {
    if (name == "..") return "the path contains invalid characters: the name \"..\"";
    if (name.size() > PosixPath::kMaxNameBytes) {
      return "a name in the path exceeds maximum characters: " +
             std::to_string(PosixPath::kMaxNameBytes);
    }
  }
  return {};
}

}  // namespace

std::vector<std::string_view> path_names(std::string_view path) {
  std::vector<std::string_view> names;
  names.reserve(static_cast<size_t>(std::count(path.begin(), path.end(), '/')) + 1);
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    if (!name.empty() && name != ".") names.push_back(name);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

bool is_within(std::string_view path, std::string_view ancestor) {
  if (ancestor == "/") return true;
  return path.starts_with(ancestor) &&
         (path.size() == ancestor.size() || path[ancestor.size()] == '/');
}

Result<PosixPath> PosixPath::parse(std::string_view text, std::string_view operation) {
  const auto names = path_names(text.substr(0, kMaxBytes));  // what is longer is refused
  if (std::string complaint = complaint_about(text, names); !complaint.empty()) {
    return Error(StatusCode::kInvalidArgument, std::string(operation), quotable_path(text))
        .because(std::move(complaint));
  }
  std::string shortest;
  shortest.reserve(text.size());
  for (const std::string_view name : names) shortest.append("/").append(name);
  return PosixPath(shortest.empty() ? "/" : std::move(shortest));
}

std::string_view PosixPath::name() const {
  return std::string_view(text_).substr(text_.rfind('/') + 1);
}

PosixPath PosixPath::parent() const {
  return PosixPath(text_.substr(0, std::max<size_t>(text_.rfind('/'), 1)));
}

std::string_view PosixPath::below(const PosixPath& ancestor) const {
  std::string_view rest = text_;
  rest.remove_prefix(ancestor.text_ == "/" ? 0 : ancestor.text_.size());
  if (rest.starts_with('/')) rest.remove_prefix(1);
  return rest;
}

}  // namespace longshore::support
