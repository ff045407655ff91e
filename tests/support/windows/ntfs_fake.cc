#include "tests/support/windows/ntfs_fake.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "tests/support/windows/ntfs_fake_file.h"
#include "tests/support/windows/reparse_bytes.h"

namespace longshore::test {

using support::FileAccess;
using support::windows_error;

namespace {

std::vector<std::string> names_in(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const size_t end = std::min(path.find('\\'), path.size());
    if (end > 0) names.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return names;
}

std::wstring object_name(const std::string& target) {
  if (target.starts_with("\\\\?\\")) return L"\\??\\" + wide(target.substr(4));
  if (target.starts_with("\\\\")) return L"\\??\\UNC\\" + wide(target.substr(2));
  return L"\\??\\" + wide(target);
}

bool is_relative(const std::string& target) {
  return !target.starts_with("\\\\") && target.substr(1, 2) != ":\\";
}

}  // namespace

NtfsFake::NtfsFake() {
  volumes_["C:\\"] = std::make_shared<Node>();
  volumes_["C:\\"]->is_directory = true;
  volumes_["C:\\"]->name = "C:";
  paths_of_volumes_[volume_name(0)] = {"C:\\"};
  volumes_[volume_name(0)] = volumes_["C:\\"];
}

NtfsFake::~NtfsFake() = default;

std::string NtfsFake::volume_name(int volume) {
  std::string digits = std::to_string(volume);
  digits.insert(0, 12 - digits.size(), '0');
  return "\\\\?\\Volume{01234567-89ab-cdef-0123-" + digits + "}\\";
}

std::error_code NtfsFake::ask(const std::string& call, const std::string& path) const {
  return before ? before(call, path) : std::error_code();
}

NtfsFake::NodePointer NtfsFake::top_of(std::string_view path, std::string_view& rest) const {
  for (const auto& [name, node] : volumes_) {
    const std::string_view open_end = std::string_view(name).substr(0, name.size() - 1);
    if (path != open_end && !path.starts_with(name)) continue;
    rest = path.substr(std::min(name.size(), path.size()));
    return node;
  }
  return nullptr;
}

NtfsFake::NodePointer NtfsFake::find(std::string_view path) const {
  std::string_view rest;
  NodePointer node = top_of(path, rest);
  for (const std::string& name : names_in(rest)) {
    if (!node) return nullptr;
    const auto entry = node->entries.find(name);
    node = entry == node->entries.end() ? nullptr : entry->second;
  }
  return node;
}

std::string NtfsFake::path_of(const Node& node) {
  if (node.parent == nullptr) return node.is_removed ? "removed " + node.name : node.name;
  return path_of(*node.parent) + "\\" + node.name;
}

void NtfsFake::take_out(Node& node) {
  Node* parent = std::exchange(node.parent, nullptr);
  node.is_removed = true;
  const auto entry = parent->entries.find(node.name);
  removed_.push_back(std::move(entry->second));
  parent->entries.erase(entry);
}

NtfsFake::NodePointer NtfsFake::put(const std::string& path, bool is_directory) {
  std::string_view rest;
  NodePointer node = top_of(path, rest);
  if (!node) throw std::runtime_error("no drive and no volume of the fake: " + path);
  const auto names = names_in(rest);
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_last = i + 1 == names.size();
    NodePointer& entry = node->entries[names[i]];
    if (entry && is_last && !(is_directory && entry->reparse_data.empty())) {
      take_out(*entry);
      return put(path, is_directory);
    }
    if (!entry) {
      entry = std::make_shared<Node>();
      entry->is_directory = is_directory || !is_last;
      entry->parent = node.get();
      entry->name = names[i];
    }
    node = entry;
  }
  return node;
}

void NtfsFake::put_directory(const std::string& path) {
  const std::lock_guard lock(mutex_);
  put(path, /*is_directory=*/true);
}

void NtfsFake::put_file(const std::string& path) {
  const std::lock_guard lock(mutex_);
  put(path, /*is_directory=*/false);
}

void NtfsFake::put_reparse_point(const std::vector<std::byte>& data, const std::string& path) {
  const std::lock_guard lock(mutex_);
  const NodePointer node = put(path, /*is_directory=*/false);
  node->is_directory = true;
  node->reparse_data = data;
}

void NtfsFake::put_symbolic_link(const std::string& text, const std::string& path) {
  const std::lock_guard lock(mutex_);
  const bool relative = is_relative(text);
  const std::wstring name = relative ? wide(text) : object_name(text);
  put_reparse_point(reparse_bytes({.name = name, .flags = relative ? 1u : 0u}), path);
  const NodePointer target = find(relative ? path.substr(0, path.rfind('\\') + 1) + text : text);
  find(path)->is_directory = !target || target->is_directory;
}

void NtfsFake::put_junction(const std::string& target, const std::string& path) {
  const std::wstring name = object_name(target);
  put_reparse_point(reparse_bytes({.tag = kMountPointTag, .name = name}), path);
}

void NtfsFake::put_mount_point(const std::string& volume, const std::string& path) {
  put_junction(volume, path);
}

std::string NtfsFake::mounted_path_of(const Node& node) const {
  if (node.parent != nullptr) return mounted_path_of(*node.parent) + "\\" + node.name;
  const auto paths = paths_of_volumes_.find(node.name + "\\");
  if (paths == paths_of_volumes_.end() || paths->second.empty()) return path_of(node);
  return paths->second.front().substr(0, paths->second.front().size() - 1);
}

void NtfsFake::add_volume(const std::string& name) {
  NodePointer& root = volumes_[name];
  if (root) return;
  root = std::make_shared<Node>();
  root->is_directory = true;
  root->name = name.substr(0, name.size() - 1);
}

void NtfsFake::mount(const std::string& name, const std::string& path) {
  const std::lock_guard lock(mutex_);
  add_volume(name);
  put_mount_point(name, path);
  paths_of_volumes_[name].push_back(path + "\\");
}

void NtfsFake::move(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const NodePointer node = find(from);
  const NodePointer parent = find(to.substr(0, to.rfind('\\')));
  if (!node || !parent || find(to)) throw std::runtime_error("cannot move " + from + " to " + to);
  take_out(*node);
  node->is_removed = false;
  node->parent = parent.get();
  node->name = to.substr(to.rfind('\\') + 1);
  parent->entries[node->name] = node;
}

void NtfsFake::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (const NodePointer node = find(path)) take_out_all(*node);
}

void NtfsFake::take_out_all(Node& node) {
  while (!node.entries.empty()) take_out_all(*node.entries.begin()->second);
  take_out(node);
}

std::optional<NtfsFake::Found> NtfsFake::inspect(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const NodePointer node = find(path);
  if (!node) return std::nullopt;
  Found found{.is_directory = node->is_directory};
  if (!node->reparse_data.empty()) {
    found.point =
        support::decode_reparse_point(node->reparse_data).value_or(support::ReparsePoint{});
  }
  return found;
}

int NtfsFake::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

int NtfsFake::flushes(const std::string& volume_name) const {
  const std::lock_guard lock(mutex_);
  const auto found = flushes_.find(volume_name);
  return found == flushes_.end() ? 0 : found->second;
}

support::FileSystemCalls::Opened NtfsFake::open_path(const std::wstring& path, LastName last,
                                                     FileAccess access, std::error_code& error) {
  const std::lock_guard lock(mutex_);
  std::string plain = narrow(path);
  if (plain.starts_with("\\\\?\\C:")) plain.erase(0, 4);
  if ((error = ask("open_path", plain))) return nullptr;
  NodePointer node = find(plain);
  if (node && last == LastName::kFollowed && !node->reparse_data.empty()) {
    const auto point = support::decode_reparse_point(node->reparse_data);
    node = point ? find(narrow(point->target)) : nullptr;
  }
  if (!node) {
    error = windows_error(ERROR_FILE_NOT_FOUND);
    return nullptr;
  }
  return std::make_unique<File>(*this, node, access);
}

std::vector<std::wstring> NtfsFake::paths_of_volume(const std::wstring& volume,
                                                    std::error_code& error) {
  const std::lock_guard lock(mutex_);
  const std::string name = narrow(volume);
  if ((error = ask("paths_of_volume", name))) return {};
  if (!volumes_.contains(name)) {
    error = windows_error(ERROR_FILE_NOT_FOUND);
    return {};
  }
  std::vector<std::wstring> paths;
  for (const std::string& path : paths_of_volumes_[name]) paths.push_back(wide(path));
  return paths;
}

bool NtfsFake::exists(const std::wstring& path, std::error_code& error) {
  const std::lock_guard lock(mutex_);
  if ((error = ask("exists", narrow(path)))) return false;
  return std::ranges::find(shares_, narrow(path)) != shares_.end();
}

}  // namespace longshore::test
