// vSphere: kubernetes-sigs/vsphere-csi-driver v3.4.0 (2e3eb62d3), the last one with gRPC.
//
// pkg/csi/service/mounter/mounter_windows.go, osutils/windows_os_utils.go, node.go. No text or code
// of an answer is compared. It has no fallback.
#include "tests/drivers/drivers.h"
#include "tests/drivers/local_looks.h"
#include "tests/drivers/reactions.h"

namespace longshore::test {
namespace vsphere_table {

constexpr int64_t kTolerance = int64_t{1} << 20;

bool if_too_small(const Findings& found) {
  return found.filesystem_bytes < found.context.wanted_bytes;
}
// A disk that is less than 1 MiB short is not resized.
bool if_disk_is_too_small(const Findings& found) {
  return found.context.wanted_bytes - found.disk_bytes >= kTolerance;
}

const Rows kStart = {
    // A node is registered by it, and no test runs on a machine of VMware's: the text is kept by
    // tests/unit/system/system_linux_test.cc.
    {always, Call{Method::kGetBIOSSerialNumber, Place::kNone, ignored}},
};

const Rows kStage = {
    {always, Call{Method::kPathExists, Place::kStaging, must_exist}},
    {always, Call{Method::kListDiskIDs, Place::kNone, takes_disk_by_page83}},
    {always, Local{looks_whether_mounted}},
    {if_mounted, Local{method_is_done}},
    // The disk is offline if the last thing that was done to it is the end of kUnstage.
    {always, Call{Method::kPartitionDisk, Place::kNone, required}},
    {always, Call{Method::kSetDiskOnline, Place::kNone, required}},
    {always, Call{Method::kListVolumesOnDisk, Place::kNone, first_volume_or_panic}},
    {always, Call{Method::kIsVolumeFormatted, Place::kNone, tells_whether_formatted}},
    {if_unformatted, Call{Method::kFormatVolume, Place::kNone, required}},
    {always, Call{Method::kMountVolume, Place::kStaging, required}},
};

const Rows kPublish = {
    {always, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    {if_exists, Call{Method::kRmdir, Place::kTarget, required}},
    // Also where it is there.
    {always, Call{Method::kMkdir, Place::kTargetParent, required}},
    {always, Call{Method::kCreateSymlink, Place::kTarget, required}},
};

const Rows kStats = {
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kTarget, takes_volume}},
    {always, Call{Method::kGetVolumeStats, Place::kNone, takes_filesystem_bytes}},
};

const Rows kExpand = {
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kTarget, takes_volume}},
    {always, Call{Method::kGetVolumeStats, Place::kNone, takes_filesystem_bytes}},
    {if_too_small, Call{Method::kRescan, Place::kNone, required}},
    {always, Call{Method::kGetDiskNumberFromVolumeID, Place::kNone, takes_disk}},
    {always, Call{Method::kGetDiskStats, Place::kNone, takes_disk_bytes_or_panic}},
    {if_disk_is_too_small, Call{Method::kGetDiskNumberFromVolumeID, Place::kNone, takes_disk}},
    {if_disk_is_too_small, Call{Method::kSetDiskOnline, Place::kNone, required}},
    {if_disk_is_too_small, Call{Method::kResizeVolume, Place::kNone, required}},
};

const Rows kUnpublish = {
    {always, Call{Method::kRmdir, Place::kTarget, required}},
};

const Rows kUnstage = {
    {always, Call{Method::kPathExists, Place::kStaging, done_if_absent}},
    {always, Call{Method::kPathExists, Place::kStaging, must_exist}},
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, takes_volume}},
    {always, Call{Method::kUnmountVolume, Place::kStaging, required}},
    {always, Call{Method::kRmdir, Place::kStaging, required}},
    // The volume has no mount point any more.
    {always, Call{Method::kGetDiskNumberFromVolumeID, Place::kNone, takes_disk}},
    {always, Call{Method::kSetDiskOffline, Place::kNone, required}},
};

}  // namespace vsphere_table

std::vector<Driver> vsphere() {
  using namespace vsphere_table;
  return {
      {.name = "vSphere",
       .groups = {{"filesystem", "v1"}, {"disk", "v1"}, {"volume", "v1"}, {"system", "v1alpha1"}},
       .has_beta_wire = false,
       .start = kStart,
       .stage = kStage,
       .publish = kPublish,
       .stats = kStats,
       .expand = kExpand,
       .unpublish = kUnpublish,
       .unstage = kUnstage,
       // What the disk has needs no call of ResizeVolume, more does.
       .expansions = {0, 2 * kTolerance},
       .dead_ends = {{staging_is_empty_folder, removes_staging_folder}}}};
}

}  // namespace longshore::test
