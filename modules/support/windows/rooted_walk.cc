#include "support/windows/rooted_walk.h"

#include <algorithm>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"

namespace longshore::support {
namespace {

using LastName = FileSystemCalls::LastName;

std::error_code leads_out() { return std::make_error_code(std::errc::cross_device_link); }

std::vector<std::wstring> names_of(std::wstring_view text) {
  std::vector<std::wstring> names;
  while (!text.empty()) {
    const size_t end = std::min(text.find(L'\\'), text.size());
    const std::wstring_view name = text.substr(0, end);
    if (!name.empty() && name != L".") names.emplace_back(name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

// Not the name of a stream of a file, which a link's text might have.
bool is_plain_name(std::wstring_view name) {
  return name.find_first_of(L"/:") == std::wstring_view::npos;
}

bool is_on_drive(std::wstring_view path) {
  return path.size() >= 3 && path[1] == L':' && path[2] == L'\\';
}

// Drivers look for words of ours in errors, and what somebody else has named must not read like
// these.
std::string without_blanks(std::string_view text) {
  std::string shown;
  for (const char c : text) shown += c == ' ' ? "%20" : std::string(1, c);
  return shown;
}

}  // namespace

RootedWalk::RootedWalk(FileSystemCalls& calls, const AllowedRoots& roots, const WindowsPath& path,
                       FileAccess access, const Deadline& deadline)
    : calls_(calls),
      roots_(roots),
      access_(access),
      deadline_(deadline),
      root_(roots.root_of(path)) {
  prepend(names_of(wide(path.below(*root_))), kOfPath);
}

std::error_code RootedWalk::run(LastName last_name) {
  if (const auto error = start_at(*root_)) return error;
  while (!pending_.empty()) {
    last_ = pending_.front().name;
    link_ = pending_.front().link;
    if (pending_.size() == 1 && last_name == LastName::kUnfollowed) return {};
    if (const auto error = may_go_on()) return error;
    pending_.pop_front();
    if (const auto error = step()) return error;
  }
  return {};
}

std::error_code RootedWalk::start_at(const WindowsPath& root) {
  root_ = &root;
  places_.clear();
  std::error_code error;
  auto opened = calls_.open_path(root.verbatim(), LastName::kFollowed, access_, error);
  if (!opened) return error;
  places_.push_back({std::move(opened), {}});
  return {};
}

std::error_code RootedWalk::may_go_on() {
  if (steps_++ == kMostSteps) return std::make_error_code(std::errc::too_many_symbolic_link_levels);
  const bool is_over = deadline_.exceeded({}, {}).has_value();
  return is_over ? std::make_error_code(std::errc::operation_canceled) : std::error_code();
}

std::error_code RootedWalk::step() {
  if (last_ == L"..") return go_up();
  if (!is_plain_name(last_)) return windows_error(ERROR_INVALID_NAME);
  std::error_code error;
  auto opened = places_.back().opened->open(last_, access_, error);
  if (!opened) return error;
  const OpenFile::Facts facts = opened->facts(error);
  if (error) return error;
  if (!facts.is_reparse_point) return go_down(std::move(opened), facts.is_directory);
  const std::vector<std::byte> data = opened->read_reparse_data(error);
  if (error) return error;
  const auto point = decode_reparse_point(data);
  if (!point) return windows_error(ERROR_INVALID_REPARSE_DATA);
  return pass(*point, std::move(opened), facts.is_directory);
}

// Of a directory that lies on a mounted volume no link knows what lies above.
std::error_code RootedWalk::go_up() {
  if (places_.size() == 1 || places_.back().is_volume_root) return leads_out();
  places_.pop_back();
  return {};
}

std::error_code RootedWalk::pass(const ReparsePoint& point, std::unique_ptr<OpenFile> opened,
                                 bool is_directory) {
  switch (point.kind) {
    case ReparseKind::kSymbolicLink:
    case ReparseKind::kJunction:
      return follow(point);
    case ReparseKind::kVolumeMountPoint:
      return enter_volume(point.target);
    case ReparseKind::kOther:
      break;
  }
  if (point.is_name_surrogate()) return windows_error(ERROR_REPARSE_TAG_INVALID);
  return go_down(std::move(opened), is_directory);
}

std::error_code RootedWalk::go_down(std::unique_ptr<OpenFile> opened, bool is_directory) {
  if (!is_directory && !pending_.empty()) {
    return std::make_error_code(std::errc::not_a_directory);
  }
  places_.push_back({std::move(opened), last_});
  return {};
}

bool RootedWalk::add_link(const std::wstring& text) {
  if (links_.size() == kMaxLinks) return false;
  link_ = links_.size();
  links_.push_back({path_of_last(), narrow(text)});
  return true;
}

std::error_code RootedWalk::follow(const ReparsePoint& point) {
  if (!add_link(point.target)) {
    return std::make_error_code(std::errc::too_many_symbolic_link_levels);
  }
  if (!point.is_relative) return follow_absolute(point.target);
  if (!point.target.starts_with(L'\\')) {
    prepend(names_of(point.target), link_);
    return {};
  }
  // From the top of the volume that the link is on.
  const bool is_on_mounted_volume =
      std::ranges::any_of(places_, [](const Place& place) { return place.is_volume_root; });
  if (is_on_mounted_volume) return leads_out();
  return follow_absolute(wide(root_->text().substr(0, 2)) + point.target);
}

std::error_code RootedWalk::follow_absolute(const std::wstring& target) {
  const Names names = names_of(target);
  for (const WindowsPath& root : roots_.roots()) {
    const Names root_names = names_of(wide(root.text()));
    const auto is_same = [](const std::wstring& left, const std::wstring& right) {
      return same_name(narrow(left), narrow(right));
    };
    // The first name is the drive.
    if (!is_on_drive(target) || names.size() < root_names.size() ||
        !std::equal(root_names.begin(), root_names.end(), names.begin(), is_same)) {
      continue;
    }
    prepend(Names(names.begin() + static_cast<ptrdiff_t>(root_names.size()), names.end()), link_);
    return start_at(root);
  }
  outside_ = narrow(target);
  for (const Pending& each : pending_) {
    if (!outside_.ends_with('\\')) outside_ += '\\';
    outside_ += narrow(each.name);
  }
  return leads_out();
}

std::error_code RootedWalk::enter_volume(const std::wstring& volume) {
  if (!add_link(volume)) return std::make_error_code(std::errc::too_many_symbolic_link_levels);
  entering_ = volume;
  std::error_code error;
  const bool is_within = is_mounted_within(volume, error);
  if (error) return error;
  if (!is_within) return leads_out();
  // By the name that was read, and not by what is mounted here by now.
  auto opened = calls_.open_path(volume, LastName::kFollowed, access_, error);
  if (!opened) return error;
  places_.push_back({std::move(opened), last_, /*is_volume_root=*/true, volume});
  entering_.clear();
  return {};
}

bool RootedWalk::is_mounted_within(const std::wstring& volume, std::error_code& error) const {
  const std::vector<std::wstring> paths = calls_.paths_of_volume(volume, error);
  return std::ranges::any_of(paths, [&](const std::wstring& text) {
    const Result<WindowsPath> path = WindowsPath::parse(narrow(text), "look for");
    return path && roots_.root_of(*path) != nullptr;
  });
}

std::wstring RootedWalk::volume() const {
  if (!entering_.empty()) return entering_;
  const auto entered = std::find_if(places_.rbegin(), places_.rend(),
                                    [](const Place& place) { return place.is_volume_root; });
  return entered == places_.rend() ? std::wstring() : entered->volume;
}

RootedWalk::Names RootedWalk::missing() const {
  if (link_ != kOfPath || places_.empty()) return {};
  Names names = {last_};
  for (const Pending& each : pending_) names.push_back(each.name);
  return names;
}

std::optional<std::string> RootedWalk::dangling_link() const {
  if (link_ == kOfPath) return std::nullopt;
  const Link& link = links_[link_];
  return "the link \"" + without_blanks(link.path) + "\" leads to \"" + without_blanks(link.text) +
         "\", where nothing is";
}

std::string RootedWalk::path_of_last() const {
  std::string path = root_->text();
  const auto append = [&](const std::wstring& name) {
    if (!path.ends_with('\\')) path += '\\';
    path += narrow(name);
  };
  for (const Place& place : places_) {
    if (!place.name.empty()) append(place.name);
  }
  append(last_);
  return path;
}

void RootedWalk::prepend(const Names& names, size_t link) {
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    pending_.push_front({*name, link});
  }
}

}  // namespace longshore::support
