#include "volume/linux/detached_mount.h"

#include <fcntl.h>
#include <sys/mount.h>

#include <cerrno>
#include <optional>

namespace longshore::volume {

namespace {

// A parameter of a filesystem; without a value it is a flag.
struct Parameter {
  const char* key = nullptr;
  const char* value = nullptr;
};

using Parameters = std::vector<Parameter>;

// What keeps the kernel from replaying the journal.
std::optional<Parameter> without_journal(const std::string& type) {
  if (type == "ext3" || type == "ext4") return Parameter{"noload"};
  if (type == "xfs") return Parameter{"norecovery"};
  if (type == "btrfs") return Parameter{"rescue", "nologreplay"};
  return std::nullopt;
}

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

Error refused(const MountRequest& request, const FileDescriptor& context,
              const std::error_code& error) {
  Error failure = Error(StatusCode::kFailedPrecondition, "mount", request.node).because(error);
  const std::string messages = kernel_messages(context);
  if (!messages.empty()) return std::move(failure).advise("the kernel says: " + messages);
  if (request.is_new) return std::move(failure).advise("the kernel's log says more");
  // Of which ntfs3 tells nothing but the kernel's log.
  if (request.type == "ntfs3" && error == std::errc::invalid_argument) {
    return std::move(failure).advise(
        "if it was not unmounted properly, ntfsfix --clear-dirty lets it be mounted again");
  }
  if (!may_be_damage(error)) return failure;
  const std::string checker = checker_of(request.type);
  return std::move(failure).advise(
      "it may be damaged, or made with features that this kernel lacks; the kernel's log says "
      "more" +
      (checker.empty() ? "" : ", and \"" + checker + ' ' + request.node + "\" checks it"));
}

// fsopen failed.
Error cannot_begin(const MountRequest& request, const std::error_code& error) {
  Error failure(StatusCode::kFailedPrecondition, "mount", request.node);
  if (error == std::errc::no_such_device) {
    return std::move(failure)
        .because("the kernel has no filesystem \"" + request.type + "\"")
        .advise("its module may have to be loaded");
  }
  failure = std::move(failure).because(error);
  if (error != std::errc::operation_not_permitted) return failure;
  return std::move(failure).advise("mounting asks for CAP_SYS_ADMIN");
}

Result<FileDescriptor> mount_with(const MountRequest& request, const Parameters& parameters) {
  const FileDescriptor context(::fsopen(request.type.c_str(), FSOPEN_CLOEXEC));
  if (!context) return cannot_begin(request, context.error());
  const auto set = [&](unsigned command, const char* key, const char* value) {
    return error_unless(::fsconfig(context.get(), command, key, value, 0) == 0);
  };
  Parameters all;
  all.reserve(request.other_nodes.size() + 2 + parameters.size());
  for (const std::string& other : request.other_nodes) all.push_back({"device", other.c_str()});
  all.push_back({"source", request.node.c_str()});
  if (request.read_only) all.push_back({"ro"});
  all.insert(all.end(), parameters.begin(), parameters.end());
  for (const Parameter& each : all) {
    const unsigned command = each.value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;
    if (const std::error_code error = set(command, each.key, each.value)) {
      return refused(request, context, error);
    }
  }
  if (const std::error_code error = set(FSCONFIG_CMD_CREATE, nullptr, nullptr)) {
    return refused(request, context, error);
  }
  const unsigned attributes =
      MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (request.read_only ? MOUNT_ATTR_RDONLY : 0);
  FileDescriptor mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, attributes));
  if (!mount) return refused(request, context, mount.error());
  return mount;
}

Error journal_left(const MountRequest& request, bool can_be_skipped) {
  constexpr const char* kMountWritable = "mount it once from a disk that is writable";
  return Error(StatusCode::kFailedPrecondition, "mount", request.node)
      .because(
          "its journal is not empty, as it was not unmounted properly, and cannot be replayed on a "
          "read-only disk")
      .advise(can_be_skipped
                  ? std::string(kMountWritable) +
                        ", or set skip_journal_replay = true of the module volume to mount it "
                        "without what only the journal holds"
                  : kMountWritable);
}

// Why, the kernel tells its log only: the journal it is if all is well without it. btrfs answers as
// for a disk that fails.
Result<DetachedMount> mount_without_journal(const MountRequest& request, Parameters parameters,
                                            const Error& failure) {
  const auto skip = without_journal(request.type);
  const bool is_refused_write = failure.system() == std::errc::read_only_file_system;
  if (!request.read_only || request.is_new) return failure;
  if (!is_refused_write && failure.system() != std::errc::io_error) return failure;
  if (!skip) return is_refused_write ? journal_left(request, false) : failure;
  parameters.push_back(*skip);
  Result<FileDescriptor> mount = mount_with(request, parameters);
  if (!mount) return failure;
  if (!request.may_skip_journal) return journal_left(request, true);
  return DetachedMount{.descriptor = *std::move(mount), .lacks_journal = true};
}

}  // namespace

Result<DetachedMount> mount_detached(const MountRequest& request) {
  Parameters parameters;
  Result<FileDescriptor> mount = mount_with(request, parameters);
  // xfs refuses a uuid that the kernel has already, and tells its log only. Who has it mounted need
  // not be seen from here: another mount namespace, or a process after a lazy unmount.
  if (!mount && request.type == "xfs" && mount.error().system() == std::errc::invalid_argument) {
    parameters.push_back({"nouuid"});
    mount = mount_with(request, parameters);
  }
  if (!mount) return mount_without_journal(request, parameters, mount.error());
  return DetachedMount{.descriptor = *std::move(mount)};
}

Result<void> attach(const FileDescriptor& mount, const FileDescriptor& directory,
                    const std::string& target) {
  const std::error_code error =
      error_unless(::move_mount(mount.get(), "", directory.get(), "",
                                MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0);
  if (!error) return {};
  return Error(StatusCode::kUnknown, "mount on", target).because(error);
}

}  // namespace longshore::volume
