// azuredisk: kubernetes-sigs/azuredisk-csi-driver at d983d613b.
//
// pkg/mounter/safe_mounter_windows.go, pkg/azuredisk/azure_common_windows.go, nodeserver.go. No
// text or code of an answer is compared. Left out: a staging path that is mounted and cannot be
// read, which is what a disk leaves that was pulled out.
#include "tests/drivers/drivers.h"
#include "tests/drivers/local_looks.h"
#include "tests/drivers/reactions.h"

namespace longshore::test {
namespace azuredisk_table {

constexpr int64_t kGibibyte = int64_t{1} << 30;

bool is_large_enough(const Findings& found) {
  const int64_t gibibytes = (found.filesystem_bytes + kGibibyte - 1) / kGibibyte;
  return gibibytes * kGibibyte >= found.context.wanted_bytes;
}

// Before anything is resized: expansion is refused unless the filesystem's size, rounded up to
// whole GiB, is what is wanted.
Verdict unavailable_unless_large_enough(Findings& found) {
  if (is_large_enough(found)) return Verdict::kGoesOn;
  found.failure = "the disk has not grown yet";
  return Verdict::kFails;
}

// ResizeVolume may have failed, if only the size is right.
Verdict remembered_unless_large_enough(Findings& found) {
  if (is_large_enough(found)) return Verdict::kGoesOn;
  found.failure = "too small after ResizeVolume: " + found.remembered;
  return Verdict::kFails;
}

const Rows kStage = {
    {always, Call{Method::kRescan, Place::kNone, ignored}},
    // Not asked again where the disk has not come yet. Adapter, bus and target are not looked at.
    {always, Call{Method::kListDiskLocations, Place::kNone, takes_disk_by_lun}},
    {always, Call{Method::kPathExists, Place::kStaging, tells_existence}},
    // A repetition ends here.
    {if_exists, Call{Method::kIsSymlink, Place::kStaging, done_if_link}},
    // There is no SetDiskState: a disk that is offline stays so, and MountVolume fails.
    {always, Call{Method::kPartitionDisk, Place::kNone, required}},
    {always, Call{Method::kListVolumesOnDisk, Place::kNone, first_volume_or_panic}},
    {always, Call{Method::kIsVolumeFormatted, Place::kNone, tells_whether_formatted}},
    {if_unformatted, Call{Method::kFormatVolume, Place::kNone, required}},
    {always, Call{Method::kMountVolume, Place::kStaging, required}},
    // An error is the method's; the next stage would succeed by its fourth row.
    {always, Call{Method::kResizeVolumeOfDisk, Place::kNone, required}},
};

const Rows kPublish = {
    {always, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    {if_exists, Call{Method::kRmdir, Place::kTarget, required}},
    {always, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    // Where Rmdir has succeeded there is nothing any more.
    {if_exists, Call{Method::kIsSymlink, Place::kTarget, done_if_link}, Reach::kNever},
    {always, Call{Method::kCreateSymlink, Place::kTarget, required}},
};

const Rows kStats = {
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kTarget, takes_volume}},
    {always, Call{Method::kGetVolumeStats, Place::kNone, takes_filesystem_bytes}},
};

const Rows kExpand = {
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kTarget, takes_volume}},
    {always, Call{Method::kGetVolumeStats, Place::kNone, takes_filesystem_bytes}},
    {always, Local{unavailable_unless_large_enough}},
    {always, Call{Method::kResizeVolume, Place::kNone, remembered}},
    {always, Call{Method::kGetVolumeStats, Place::kNone, takes_filesystem_bytes}},
    {always, Local{remembered_unless_large_enough}},
};

const Rows kUnpublish = {
    {always, Call{Method::kRmdir, Place::kTarget, required}},
};

// There is no UnmountVolume: Rmdir takes the mount away.
const Rows kUnstage = {
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, takes_volume_if_any}},
    {if_volume_known, Call{Method::kWriteVolumeCache, Place::kNone, ignored}},
    {always, Call{Method::kRmdir, Place::kStaging, required}},
};

Driver made(std::string name, std::vector<GroupVersion> groups, bool has_beta_wire) {
  return {.name = std::move(name),
          .groups = std::move(groups),
          .has_beta_wire = has_beta_wire,
          .start = {},
          .stage = kStage,
          .publish = kPublish,
          .stats = kStats,
          .expand = kExpand,
          .unpublish = kUnpublish,
          .unstage = kUnstage};
}

}  // namespace azuredisk_table

std::vector<Driver> azuredisk() {
  using azuredisk_table::made;
  return {made("azuredisk", {{"filesystem", "v1"}, {"disk", "v1"}, {"volume", "v1"}}, false),
          made("azuredisk's fallback",
               {{"filesystem", "v1beta1"}, {"disk", "v1beta2"}, {"volume", "v1beta2"}}, true)};
}

}  // namespace longshore::test
