#include "volume/linux/detached_mount.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <cerrno>

namespace longshore::volume {

namespace {

constexpr const char* kJournalLeft =
    "it was not unmounted properly, and what its journal still holds cannot be written to a "
    "read-only disk";
constexpr const char* kMountWritable = "mount it once from a disk that is writable";

// What the kernel has to say, a line a read: "e Can't find ext4 filesystem".
std::string kernel_messages(const FileDescriptor& context) {
  std::string text;
  char line[1024];
  for (ssize_t size = 0; (size = ::read(context.get(), line, sizeof(line))) > 0;) {
    std::string_view message(line, static_cast<size_t>(size));
    while (!message.empty() && message.back() == '\n') message.remove_suffix(1);
    if (message.size() > 2 && message[1] == ' ') message.remove_prefix(2);
    text.append(text.empty() ? "" : "; ").append(message);
  }
  return text;
}

// What checks a filesystem that nobody has mounted.
std::string checker_of(const std::string& type) {
  if (type == "ext4") return "e2fsck -f";
  if (type == "xfs") return "xfs_repair -n";
  if (type == "btrfs") return "btrfs check";
  return {};
}

// What the kernel answers of content that contradicts itself, or fits no checksum. Some of it
// means other things too.
bool may_be_damage(const std::error_code& error) {
  return error.value() == EUCLEAN || error.value() == EBADMSG || error.value() == EIO ||
         error.value() == EINVAL;
}

Error refused(const MountRequest& request, const FileDescriptor& context) {
  const std::error_code error = last_error();
  Error failure = Error(StatusCode::kFailedPrecondition, "mount", request.node).because(error);
  // Why, the kernel tells its log only. With btrfs it may be damage as well.
  if (request.read_only && error == std::errc::read_only_file_system) {
    return std::move(failure).because(std::string(kJournalLeft)).advise(kMountWritable);
  }
  if (request.read_only && request.type == "btrfs" && error == std::errc::io_error) {
    return std::move(failure).advise("perhaps " + std::string(kJournalLeft) + ": " +
                                     kMountWritable + "; the kernel's log says more");
  }
  const std::string messages = kernel_messages(context);
  if (!messages.empty()) return std::move(failure).advise("the kernel says: " + messages);
  // Of which ntfs3 tells nothing but the kernel's log.
  if (request.type == "ntfs3" && error == std::errc::invalid_argument) {
    return std::move(failure).advise(
        "if it was not unmounted properly, ntfsfix --clear-dirty lets it be mounted again");
  }
  if (request.is_new) return std::move(failure).advise("the kernel's log says more");
  if (!may_be_damage(error)) return failure;
  const std::string checker = checker_of(request.type);
  return std::move(failure).advise(
      "it may be damaged, or made with features that this kernel lacks; the kernel's log says "
      "more" +
      (checker.empty() ? "" : ", and \"" + checker + ' ' + request.node + "\" checks it"));
}

// fsopen failed.
Error cannot_begin(const MountRequest& request) {
  Error failure(StatusCode::kFailedPrecondition, "mount", request.node);
  const std::error_code error = last_error();
  if (error == std::errc::no_such_device) {
    return std::move(failure)
        .because("the kernel has no filesystem \"" + request.type + "\"")
        .advise("its module may have to be loaded");
  }
  failure = std::move(failure).because(error);
  if (error != std::errc::operation_not_permitted) return failure;
  return std::move(failure).advise("mounting asks for CAP_SYS_ADMIN");
}

}  // namespace

std::string kernel_name(const std::string& type) { return type == "ntfs" ? "ntfs3" : type; }

Result<FileDescriptor> mount_detached(const MountRequest& request) {
  const FileDescriptor context(::fsopen(request.type.c_str(), FSOPEN_CLOEXEC));
  if (!context) return cannot_begin(request);
  const auto set = [&](unsigned command, const char* key, const char* value) {
    return ::fsconfig(context.get(), command, key, value, 0) == 0;
  };
  for (const std::string& other : request.other_nodes) {
    if (!set(FSCONFIG_SET_STRING, "device", other.c_str())) return refused(request, context);
  }
  if (!set(FSCONFIG_SET_STRING, "source", request.node.c_str()) ||
      (request.read_only && !set(FSCONFIG_SET_FLAG, "ro", nullptr)) ||
      (request.allow_same_uuid && request.type == "xfs" &&
       !set(FSCONFIG_SET_FLAG, "nouuid", nullptr)) ||
      !set(FSCONFIG_CMD_CREATE, nullptr, nullptr)) {
    return refused(request, context);
  }
  const unsigned attributes =
      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (request.read_only ? MOUNT_ATTR_RDONLY : 0);
  FileDescriptor mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, attributes));
  if (!mount) return refused(request, context);
  return mount;
}

Result<void> attach(const FileDescriptor& mount, const FileDescriptor& directory,
                    const std::string& target) {
  if (::move_mount(mount.get(), "", directory.get(), "",
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    return Error(StatusCode::kUnknown, "mount on", target).because(last_error());
  }
  return {};
}

}  // namespace longshore::volume
