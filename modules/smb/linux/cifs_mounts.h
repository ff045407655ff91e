// Mounts of shares by the kernel's cifs filesystem and its mount API.
//
// No program is run and no option string is put together: a password goes from the request into the
// kernel by fsconfig, and stands in no argument, file, environment or list of mounts.
#pragma once

#include "smb/linux/mount_options.h"
#include "smb/linux/share_mounts.h"

namespace longshore::smb {

class CifsMounts final : public ShareMounts {
 public:
  CifsMounts(MountOptions options, bool require_privacy)
      : options_(std::move(options)), require_privacy_(require_privacy) {}

  Result<std::vector<std::string>> addresses_of(const std::string& host) override;
  Result<std::unique_ptr<DetachedShare>> mount(const RemotePath& share, const std::string& address,
                                               const Credentials& credentials,
                                               Connection connection) override;
  std::error_code ask(const DetachedShare& share) override;
  std::error_code attach(const DetachedShare& share, const std::string& directory) override;
  std::error_code detach(const MountedShare& share) override;
  Result<std::vector<MountedShare>> mounted_below(const std::string& directory) override;
  std::error_code probe(const MountedShare& share) override;
  std::error_code find(const MountedShare& share, const std::string& below) override;

 private:
  MountOptions options_;
  bool require_privacy_;
};

}  // namespace longshore::smb
