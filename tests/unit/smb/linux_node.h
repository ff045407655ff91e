// The Linux backend on a made-up kernel, called without the service above it.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/outcome.h"
#include "tests/unit/smb/linux_world.h"

namespace longshore::smb {

using test::outcome;

struct LinuxNode {
  Result<void> map(const std::string& below, const std::string& path) {
    std::string user = world.user();
    std::string password = world.password();
    const auto link = support::PosixPath::parse(path.empty() ? "/" : path, "use");
    return world.backend().map(*RemotePath::parse(world.share() + below, "map"),
                               *Credentials::take(user, password), path.empty() ? nullptr : &*link,
                               {});
  }
  Result<void> unmap(const std::string& below) {
    return world.backend().unmap(*RemotePath::parse(world.share() + below, "map"), {});
  }
  std::string mapping_directory() const { return world.mappings() + "/files/share"; }
  bool left_nothing() const {
    return kernel.mounted().empty() && !std::filesystem::exists(world.mappings() + "/files");
  }

  LinuxWorld world;
  ShareMountsFake& kernel = world.kernel();
  std::string local = world.local("volume");
};

}  // namespace longshore::smb
