#include "tests/support/windows/ntfs_fake_file.h"

#include <windows.h>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"
#include "support/windows/reparse_point.h"

namespace longshore::test {

using support::FileAccess;
using support::OpenFile;
using support::windows_error;

namespace {

// How many names one listing gives.
constexpr size_t kListed = 3;

}  // namespace

bool NtfsFake::Node::ByName::operator()(const std::string& left, const std::string& right) const {
  const std::wstring a = wide(left), b = wide(right);
  return CompareStringOrdinal(a.data(), static_cast<int>(a.size()), b.data(),
                              static_cast<int>(b.size()), TRUE) == CSTR_LESS_THAN;
}

NtfsFake::File::File(NtfsFake& fake, NodePointer node, FileAccess access)
    : fake_(fake), node_(std::move(node)), access_(access) {
  ++fake_.opened_;
}
NtfsFake::File::~File() {
  const std::lock_guard lock(fake_.mutex_);
  --fake_.opened_;
}

OpenFile::Opened NtfsFake::File::open(const std::wstring& name, FileAccess access,
                                      std::error_code& error) {
  const std::lock_guard lock(fake_.mutex_);
  if ((error = ask("open", name))) return nullptr;
  if ((error = check(name))) return nullptr;
  const auto found = node_->entries.find(narrow(name));
  if (found == node_->entries.end()) {
    error = windows_error(ERROR_FILE_NOT_FOUND);
    return nullptr;
  }
  return std::make_unique<File>(fake_, found->second, access);
}

OpenFile::Opened NtfsFake::File::make_directory(const std::wstring& name, std::error_code& error) {
  const std::lock_guard lock(fake_.mutex_);
  if ((error = ask("make_directory", name))) return nullptr;
  const NodePointer made = make(name, /*is_directory=*/true, error);
  return made ? std::make_unique<File>(fake_, made, FileAccess::kLook) : nullptr;
}

std::error_code NtfsFake::File::make_link(const std::wstring& name, support::NewLinkType type,
                                          std::span<const std::byte> reparse_data) {
  const std::lock_guard lock(fake_.mutex_);
  if (const auto error = ask("make_link", name)) return error;
  std::error_code error;
  const NodePointer made = make(name, type == support::NewLinkType::kToDirectory, error);
  if (made) made->reparse_data.assign(reparse_data.begin(), reparse_data.end());
  return error;
}

OpenFile::Facts NtfsFake::File::facts(std::error_code& error) {
  const std::lock_guard lock(fake_.mutex_);
  if ((error = ask("facts", {}))) return {};
  return {node_->is_directory, !node_->reparse_data.empty()};
}

std::vector<std::byte> NtfsFake::File::read_reparse_data(std::error_code& error) {
  const std::lock_guard lock(fake_.mutex_);
  if ((error = ask("read_reparse_data", {}))) return {};
  if (node_->reparse_data.empty()) error = windows_error(ERROR_NOT_A_REPARSE_POINT);
  return node_->reparse_data;
}

std::vector<std::wstring> NtfsFake::File::list(std::error_code& error) {
  const std::lock_guard lock(fake_.mutex_);
  if ((error = ask("list", {}))) return {};
  if (access_ == FileAccess::kLook) error = windows_error(ERROR_ACCESS_DENIED);
  if (!node_->is_directory) error = windows_error(ERROR_INVALID_PARAMETER);
  if (error) return {};
  std::vector<std::wstring> names;
  for (const auto& [name, node] : node_->entries) {
    if (names.size() < kListed) names.push_back(wide(name));
  }
  return names;
}

std::error_code NtfsFake::File::remove() {
  const std::lock_guard lock(fake_.mutex_);
  if (const auto error = ask("remove", {})) return error;
  if (access_ != FileAccess::kRemove) return windows_error(ERROR_ACCESS_DENIED);
  if (node_->is_removed) return windows_error(ERROR_DELETE_PENDING);
  if (!node_->entries.empty()) return windows_error(ERROR_DIR_NOT_EMPTY);
  if (node_->parent == nullptr) return windows_error(ERROR_ACCESS_DENIED);
  fake_.take_out(*node_);
  return {};
}

std::error_code NtfsFake::File::attach_volume(const std::wstring& volume) {
  const std::lock_guard lock(fake_.mutex_);
  if (const auto error = ask("attach_volume", {})) return error;
  if (access_ != FileAccess::kRemove) return windows_error(ERROR_ACCESS_DENIED);
  if (!node_->is_directory) return windows_error(ERROR_DIRECTORY);
  if (!node_->entries.empty()) return windows_error(ERROR_DIR_NOT_EMPTY);
  node_->reparse_data = support::encode_mount_point(volume);
  const std::string name = narrow(volume);
  fake_.add_volume(name);
  fake_.paths_of_volumes_[name].push_back(fake_.mounted_path_of(*node_) + "\\");
  return {};
}

std::error_code NtfsFake::File::flush_volume(const std::wstring& volume) {
  const std::lock_guard lock(fake_.mutex_);
  if (const auto error = ask("flush_volume", {})) return error;
  // Too late: nobody waits for it any more.
  if (node_->reparse_data.empty()) return windows_error(ERROR_NOT_A_REPARSE_POINT);
  if (!fake_.volumes_.contains(narrow(volume))) return windows_error(ERROR_FILE_NOT_FOUND);
  ++fake_.flushes_[narrow(volume)];
  return {};
}

std::error_code NtfsFake::File::detach_volume(const std::wstring& volume) {
  const std::lock_guard lock(fake_.mutex_);
  if (const auto error = ask("detach_volume", {})) return error;
  if (access_ != FileAccess::kRemove) return windows_error(ERROR_ACCESS_DENIED);
  node_->reparse_data.clear();
  std::erase(fake_.paths_of_volumes_[narrow(volume)], fake_.mounted_path_of(*node_) + "\\");
  return {};
}

std::error_code NtfsFake::File::ask(const std::string& call, const std::wstring& name) const {
  return fake_.ask(call, path_of(*node_) + (name.empty() ? "" : "\\" + narrow(name)));
}

std::error_code NtfsFake::File::check(const std::wstring& name) const {
  if (name.empty() || name.find_first_of(L"\\/:") != std::wstring::npos || name == L".." ||
      name == L".") {
    return windows_error(ERROR_INVALID_NAME);
  }
  if (node_->is_removed) return windows_error(ERROR_DELETE_PENDING);
  // Nothing is looked up in a reparse point that is open itself.
  if (!node_->is_directory || !node_->reparse_data.empty()) return windows_error(ERROR_DIRECTORY);
  return {};
}

NtfsFake::NodePointer NtfsFake::File::make(const std::wstring& name, bool is_directory,
                                           std::error_code& error) {
  if ((error = check(name))) return nullptr;
  NodePointer& entry = node_->entries[narrow(name)];
  if (entry) {
    error = windows_error(ERROR_ALREADY_EXISTS);
    return nullptr;
  }
  entry = std::make_shared<Node>();
  entry->is_directory = is_directory;
  entry->parent = node_.get();
  entry->name = narrow(name);
  return entry;
}

}  // namespace longshore::test
