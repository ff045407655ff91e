// The backend for Windows above a filesystem in memory, and above what this Windows really has. See
// worlds.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "filesystem/filesystem_service.h"
#include "filesystem/windows/filesystem_backend_windows.h"
#include "support/windows/windows_file_system.h"
#include "tests/support/node_path.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/windows/ntfs_fake.h"

namespace longshore::filesystem {

class NtfsWorld {
 public:
  NtfsWorld() {
    ntfs().put_directory(root());
    ntfs().put_directory(outside());
  }

  std::string root() const { return "C:\\var\\lib\\kubelet"; }
  std::string outside() const { return "C:\\outside"; }
  std::string at(const std::string& name) const { return test::node_path(root() + "\\" + name); }

  void put_directory(const std::string& path) { ntfs().put_directory(path); }
  void put_file(const std::string& path) { ntfs().put_file(path); }
  void put_link(const std::string& text, const std::string& path) {
    ntfs().put_symbolic_link(test::node_path(text), path);
  }
  EntryKind inspect(const std::string& path) {
    const auto found = ntfs().inspect(path);
    if (!found) return EntryKind::kAbsent;
    if (found->point && found->point->kind == support::ReparseKind::kVolumeMountPoint) {
      return EntryKind::kMountPoint;
    }
    if (found->point) return EntryKind::kLink;
    return found->is_directory ? EntryKind::kDirectory : EntryKind::kFile;
  }

  FilesystemService service() { return {*support::AllowedRoots::from({root()}), backend_}; }
  FilesystemBackend& backend() { return backend_; }
  test::NtfsFake& ntfs() { return *ntfs_; }

 private:
  test::NtfsFake* ntfs_ = new test::NtfsFake;  // the backend owns it
  FilesystemBackendWindows backend_{std::unique_ptr<test::NtfsFake>(ntfs_),
                                    *support::AllowedRoots::from({root()})};
};

class RealWorld {
 public:
  RealWorld() {
    std::filesystem::create_directories(root());
    std::filesystem::create_directories(outside());
  }

  std::string root() const { return directory_ / "kubelet"; }
  std::string outside() const { return directory_ / "outside"; }
  std::string at(const std::string& name) const { return test::node_path(root() + "\\" + name); }

  void put_directory(const std::string& path) const { std::filesystem::create_directories(path); }
  void put_file(const std::string& path) const { test::write_file(path, "content"); }
  EntryKind inspect(const std::string& path) const {
    using std::filesystem::file_type;
    switch (std::filesystem::symlink_status(path).type()) {
      case file_type::not_found:
        return EntryKind::kAbsent;
      case file_type::directory:
        return EntryKind::kDirectory;
      default:
        return EntryKind::kFile;
    }
  }

  FilesystemService service() { return {*support::AllowedRoots::from({root()}), backend_}; }
  FilesystemBackend& backend() { return backend_; }

 private:
  test::TemporaryDirectory directory_;
  FilesystemBackendWindows backend_{std::make_unique<support::WindowsFileSystem>(),
                                    *support::AllowedRoots::from({root()})};
};

}  // namespace longshore::filesystem
