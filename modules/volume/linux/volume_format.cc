// FormatVolume on Linux.
#include <fcntl.h>

#include "support/linux/block/device_content.h"
#include "volume/linux/volume_backend_linux.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using support::CallLimits;
using support::FileDescriptor;
using support::Mount;

namespace {

constexpr const char* kFormat = "format";

Error refused(const Volume& volume, const std::string& why) {
  return Error(StatusCode::kFailedPrecondition, kFormat, volume.id).because(why);
}

}  // namespace

Result<void> VolumeBackendLinux::format(const std::string& id, const CallLimits& limits) {
  const Result<Locked> locked = lock(id, limits, kFormat);
  if (!locked) return locked.error();
  const Result<bool> needed = needs_format(locked->volume);
  if (!needed) return needed.error();
  if (!*needed) return {};
  if (auto changeable = check_changeable(locked->volume, kFormat); !changeable) return changeable;
  if (auto possible = maker_.check(locked->volume.id); !possible) return possible;
  return make_filesystem(*locked);
}

// False: it was formatted here and never mounted since.
Result<bool> VolumeBackendLinux::needs_format(const Volume& volume) const {
  const Result<std::vector<Mount>> mounts = index_.mounts_of(volume);
  if (!mounts) return mounts.error();
  if (!mounts->empty()) return refused(volume, "it is mounted on " + mounts->front().point);
  const Result<Content> content = content_of(volume, kFormat);
  if (!content) return content.error();
  if (content->kind == ContentKind::kNothing || is_cut_short(volume, *content)) return true;
  const auto record = records_.find(volume.id);
  if (record && record->is_done && record->uuid == content->uuid) return false;
  return refused(volume, content->type.empty()
                             ? "it holds several things that contradict each other"
                             : "it holds " + content->type + " already")
      .advise("what a volume holds is never overwritten; wipe it (wipefs -a) if it is not needed");
}

Result<void> VolumeBackendLinux::make_filesystem(const Locked& locked) {
  const Volume& volume = locked.volume;
  const auto open = [&](int flags) {
    return block::open_node(locked.node, locked.device, volume.disk.number, flags, kFormat);
  };
  // Nobody may use it; mkfs itself has to open it, so this is looked at and not held.
  if (const auto exclusive = open(O_RDWR | O_EXCL); !exclusive) return exclusive.error();
  const Result<FileDescriptor> device = open(O_RDWR);
  if (!device) return device.error();
  const Result<std::string> uuid = maker_.new_uuid();
  if (!uuid) return uuid.error();
  // First: what an earlier mkfs left is known by the uuid of the record that stands until then.
  if (auto wiped = block::wipe_signatures(*device, volume.id); !wiped) return wiped;
  if (auto begun = records_.set(volume.id, {false, *uuid}); !begun) return begun;
  if (auto made = maker_.run(*device, locked.lock.descriptor(), *uuid, volume.id); !made) {
    // What it left behind is nobody's, whatever it looks like.
    if (block::wipe_signatures(*device, volume.id)) records_.remove(volume.id);
    return made;
  }
  if (::fsync(device->get()) != 0) {
    return Error(StatusCode::kUnknown, kFormat, volume.id).because(support::last_error());
  }
  const Result<Content> content = content_of(volume, kFormat);
  if (!content) return content.error();
  if (content->kind != ContentKind::kFilesystem) {
    return Error(StatusCode::kInternal, kFormat, volume.id)
        .because("mkfs succeeded, and there is no filesystem");
  }
  return records_.set(volume.id, {true, content->uuid});
}

bool VolumeBackendLinux::is_cut_short(const Volume& volume, const Content& content) const {
  const auto record = records_.find(volume.id);
  return record && !record->is_done && content.kind == ContentKind::kFilesystem &&
         record->uuid == content.uuid;
}

}  // namespace longshore::volume
