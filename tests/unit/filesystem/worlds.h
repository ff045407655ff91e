// The worlds that the suite of the filesystem group runs in: real directories, and the fake. On
// Windows real directories are Wine's, where no link can be made, and links are those of a
// filesystem in memory below the real backend.
//
// Each has an allowed root and a place outside of it, and lets a test put things and look at them
// without going through the backend. Texts of links may be written the POSIX way.
#pragma once

#include <string>
#include <tuple>

#include "filesystem/filesystem_service.h"
#include "tests/support/node_path.h"
#include "tests/unit/filesystem/filesystem_backend_fake.h"

#if defined(_WIN32)
#include "tests/unit/filesystem/windows/windows_worlds.h"
#else
#include "tests/unit/filesystem/linux_world.h"
#endif

namespace longshore::filesystem {

class FakeWorld {
 public:
  std::string root() const { return test::node_path("/var/lib/kubelet"); }
  std::string outside() const { return test::node_path("/outside"); }
  std::string at(const std::string& name) const { return test::node_path(root() + "/" + name); }

  void put_directory(const std::string& path) {
    const std::string names = test::posix_path(path);
    for (size_t slash = test::posix_path(root()).size(); slash != std::string::npos;) {
      slash = names.find('/', slash + 1);
      backend_.put(names.substr(0, slash), EntryKind::kDirectory);
    }
  }
  void put_file(const std::string& path) { backend_.put(path, EntryKind::kFile); }
  void put_link(const std::string& text, const std::string& path) {
    backend_.put(path, EntryKind::kLink, test::node_path(text));
  }
  EntryKind inspect(const std::string& path) const { return backend_.inspect(path); }

  FilesystemService service() { return {*support::AllowedRoots::from({root()}), backend_}; }
  FilesystemBackend& backend() { return backend_; }
  FilesystemBackendFake& fake() { return backend_; }

 private:
  FilesystemBackendFake backend_{*support::AllowedRoots::from({root()})};
};

#if defined(_WIN32)
using Worlds = std::tuple<NtfsWorld, FakeWorld>;
// For what needs no links.
using PlainWorlds = std::tuple<RealWorld, NtfsWorld, FakeWorld>;
#else
using Worlds = std::tuple<RealWorld, FakeWorld>;
using PlainWorlds = Worlds;
#endif

}  // namespace longshore::filesystem
