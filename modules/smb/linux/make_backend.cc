#include "smb/make_backend.h"

#include <chrono>
#include <utility>

#include "smb/linux/cifs_mounts.h"
#include "smb/linux/mount_options.h"
#include "smb/linux/smb_backend_linux.h"

namespace longshore::smb {
namespace {

// The backend and the kernel's mounts that it stands on.
class CifsBackend final : public SmbBackend {
 public:
  CifsBackend(SmbBackendLinux::Options options, MountOptions mount_options)
      : mounts_(std::move(mount_options), options.require_privacy),
        backend_(std::move(options), mounts_) {}

  Result<void> map(const RemotePath& remote, const Credentials& credentials,
                   const support::PosixPath* link, const Deadline& deadline) override {
    return backend_.map(remote, credentials, link, deadline);
  }
  std::optional<std::string> remote_path_in(std::string_view link_text) const override {
    return backend_.remote_path_in(link_text);
  }
  Result<void> unmap(const RemotePath& remote, const Deadline& deadline) override {
    return backend_.unmap(remote, deadline);
  }
  size_t hanging_calls() override { return backend_.hanging_calls(); }

 private:
  CifsMounts mounts_;
  SmbBackendLinux backend_;
};

}  // namespace

Result<std::unique_ptr<SmbBackend>> make_backend(const Settings& settings,
                                                 support::AllowedRoots roots) {
  const auto directory = support::PosixPath::parse(settings.get_string("mappings_directory"),
                                                   "use as mappings_directory");
  if (!directory) return directory.error();
  const bool require_privacy = settings.get_bool("require_privacy");
  auto options = MountOptions::from(settings.get_strings("mount_options"), require_privacy);
  if (!options) return std::move(options).error();
  return std::unique_ptr<SmbBackend>(std::make_unique<CifsBackend>(
      SmbBackendLinux::Options{
          .roots = std::move(roots),
          .mappings_directory = *directory,
          .require_privacy = require_privacy,
          .times = {.probe = std::chrono::duration_cast<std::chrono::milliseconds>(
                        settings.get_duration("probe_timeout"))},
      },
      *std::move(options)));
}

}  // namespace longshore::smb
