#include "volume/linux/make_filesystem.h"

#include <sys/mount.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "support/linux/command.h"

namespace longshore::volume {

namespace {

// To ask for it makes the kernel load its module.
bool kernel_lacks(const char* filesystem) {
  const FileDescriptor context(::fsopen(filesystem, FSOPEN_CLOEXEC));
  return context.error() == std::errc::no_such_device;
}

// No reserve for root on ext4: volumes are not the system's own disk, and Kubernetes' own mounter
// makes them so. The others are their makers' defaults.
std::vector<std::string> options_of(const std::string& filesystem, const std::string& uuid) {
  if (filesystem == "ext4") return {"-q", "-m", "0", "-U", uuid};
  if (filesystem == "xfs") return {"-q", "-m", "uuid=" + uuid};
  if (filesystem == "btrfs") return {"-q", "-U", uuid};
  return {"-q", "-Q"};  // ntfs, in the quick way
}

}  // namespace

Result<void> FilesystemMaker::check(const std::string& object) const {
  if (const std::error_code error = error_unless(::access(program().c_str(), X_OK) == 0)) {
    return Error(StatusCode::kUnimplemented, kFormatOperation, object)
        .because(program() + ": " + error.message())
        .advise(
            "install the filesystem's programs, or set the options filesystem and "
            "mkfs_directory of the module");
  }
  if (filesystem == "ntfs" && kernel_lacks("ntfs3")) {
    return Error(StatusCode::kFailedPrecondition, kFormatOperation, object)
        .because("the kernel has no ntfs3 and could not mount what would be made")
        .advise("use a kernel with the module ntfs3, or set the option filesystem to another one");
  }
  return {};
}

Result<std::string> FilesystemMaker::new_uuid() const {
  if (filesystem == "ntfs") return std::string();
  constexpr const char* kSource = "/proc/sys/kernel/random/uuid";
  std::ifstream source(kSource);
  std::string uuid;
  if (source >> uuid) return uuid;
  return Error(StatusCode::kInternal, "make a uuid with", kSource).because("it cannot be read");
}

Result<void> FilesystemMaker::run(const FileDescriptor& device, const FileDescriptor& disk_lock,
                                  const std::string& uuid, const std::string& object) const {
  std::vector<std::string> arguments = {program()};
  for (std::string& option : options_of(filesystem, uuid)) arguments.push_back(std::move(option));
  arguments.push_back("/proc/self/fd/" + std::to_string(device.get()));
  const auto end =
      support::run_command(arguments, {.descriptors = {device.get(), disk_lock.get()}});
  if (!end) return end.error();
  if (end->exit_code == 0) return {};
  return Error(StatusCode::kInternal, kFormatOperation, object)
      .because(program() + " ended with " + std::to_string(end->exit_code) + ": " + end->complaint);
}

}  // namespace longshore::volume
