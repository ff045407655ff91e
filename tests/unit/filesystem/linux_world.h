// Real directories on Linux, for the suite of the filesystem group. See worlds.h.
#pragma once

#include <filesystem>
#include <string>

#include "filesystem/filesystem_service.h"
#include "filesystem/linux/filesystem_backend_linux.h"
#include "tests/support/temporary_directory.h"

namespace longshore::filesystem {

class RealWorld {
 public:
  RealWorld() {
    std::filesystem::create_directories(root());
    std::filesystem::create_directories(outside());
  }

  std::string root() const { return directory_ / "kubelet"; }
  std::string outside() const { return directory_ / "outside"; }
  // Where shares are mounted.
  std::string link_root() const { return directory_ / "shares"; }
  // A path below the root.
  std::string at(const std::string& name) const { return root() + "/" + name; }

  void put_directory(const std::string& path) const { std::filesystem::create_directories(path); }
  void put_file(const std::string& path) const { test::write_file(path, "content"); }
  void put_link(const std::string& text, const std::string& path) const {
    std::filesystem::create_symlink(text, path);
  }
  EntryKind inspect(const std::string& path) const {
    using std::filesystem::file_type;
    switch (std::filesystem::symlink_status(path).type()) {
      case file_type::not_found:
        return EntryKind::kAbsent;
      case file_type::directory:
        return EntryKind::kDirectory;
      case file_type::symlink:
        return EntryKind::kLink;
      default:
        return EntryKind::kFile;
    }
  }

  FilesystemService service() { return {*support::AllowedRoots::from({root()}), backend_}; }
  FilesystemBackend& backend() { return backend_; }

 private:
  test::TemporaryDirectory directory_;
  FilesystemBackendLinux backend_{*support::AllowedRoots::from({root()}),
                                  {*support::PosixPath::parse(link_root(), "use")}};
};

}  // namespace longshore::filesystem
