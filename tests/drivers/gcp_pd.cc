// GCP PD: kubernetes-sigs/gcp-compute-persistent-disk-csi-driver at b560165c3.
//
// pkg/mount-manager/safe-mounter-v1_windows.go, pkg/gce-pd-csi-driver/node.go and
// utils_windows.go, statter_windows.go, resizefs_windows.go. No text or code of an answer is
// compared. It never calls Rescan: ResizeVolume and GetDiskStats see a grown disk by themselves.
// Left out: its look for a disk that the machine's metadata call NVMe, which compares a number, see
// modules/README.md. No disk of a test has one.
#include "tests/drivers/drivers.h"
#include "tests/drivers/local_looks.h"
#include "tests/drivers/reactions.h"

namespace longshore::test {
namespace gcp_pd_table {

constexpr int64_t kGibibyte = int64_t{1} << 30;

int64_t round_up_gibibytes(int64_t bytes) { return (bytes + kGibibyte - 1) / kGibibyte; }

// node.go: the disk must have the size that the publish context tells.
Verdict disk_is_large_enough(Findings& found) {
  const int64_t wanted = round_up_gibibytes(found.context.wanted_bytes);
  if (round_up_gibibytes(found.disk_bytes) >= wanted) return Verdict::kGoesOn;
  found.failure = "the disk is smaller than the volume";
  return Verdict::kFails;
}

// node.go:715, after each unstage: whatever comes of it is logged and the method succeeds, as what
// it looks at then is a path of Linux. Only where the look itself panics it does not.
Verdict looks_whether_disk_is_in_use(Findings& found, const Reply& reply) {
  const Verdict verdict = takes_disk_by_last_word_of_page83(found, reply);
  return verdict == Verdict::kPanics ? verdict : Verdict::kGoesOn;
}

// NodeExpandVolume.
Verdict disk_has_wanted_size(Findings& found) {
  if (found.disk_bytes >= found.context.wanted_bytes) return Verdict::kGoesOn;
  found.failure = "resize requested for more than the disk has";
  return Verdict::kFails;
}

const Rows kStage = {
    {always, Call{Method::kListDiskIDs, Place::kNone, takes_disk_by_last_word_of_page83}},
    // A repetition ends here. An error counts as "not mounted".
    {always, Call{Method::kIsSymlink, Place::kStaging, done_if_link_else_goes_on}},
    // An error ends the driver's process.
    {always, Call{Method::kGetDiskStats, Place::kNone, takes_disk_bytes_or_panic}},
    {always, Local{disk_is_large_enough}},
    // The disk is offline if the last thing that was done to it is the end of kUnstage.
    {always, Call{Method::kPartitionDisk, Place::kNone, required}},
    {always, Call{Method::kSetDiskOnline, Place::kNone, required}},
    {always, Call{Method::kListVolumesOnDisk, Place::kNone, first_volume}},
    {always, Call{Method::kIsVolumeFormatted, Place::kNone, tells_whether_formatted}},
    {if_unformatted, Call{Method::kFormatVolume, Place::kNone, required}},
    {always, Call{Method::kMountVolume, Place::kStaging, required}},
    // Every stage does this: that there is nothing to grow is success.
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, takes_volume}},
    {always, Call{Method::kResizeVolume, Place::kNone, required}},
};

const Rows kPublish = {
    {always, Call{Method::kIsSymlink, Place::kTarget, done_if_link_else_goes_on}},
    {always, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    {if_exists, Call{Method::kRmdir, Place::kTarget, required}},
    {always, Local{makes_parent_of_target}},
    {always, Call{Method::kCreateSymlink, Place::kTarget, required}},
};

const Rows kStats = {
    {always, Local{target_must_be_there}},
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kTarget, takes_volume}},
    {always, Call{Method::kGetVolumeStats, Place::kNone, takes_filesystem_bytes}},
};

const Rows kExpand = {
    {always, Call{Method::kListDiskIDs, Place::kNone, takes_disk_by_last_word_of_page83}},
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kTarget, takes_volume}},
    {always, Call{Method::kResizeVolume, Place::kNone, required}},
    {always, Call{Method::kGetDiskStats, Place::kNone, takes_disk_bytes_or_panic}},
    {always, Local{disk_has_wanted_size}},
};

const Rows kUnpublish = {
    {always, Call{Method::kRmdir, Place::kTarget, required}},
};

const Rows kUnstage = {
    {always, Call{Method::kPathExists, Place::kStaging, tells_existence}},
    {if_exists, Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, takes_volume}},
    {if_exists, Call{Method::kUnmountVolume, Place::kStaging, required}},
    {if_exists, Call{Method::kRmdir, Place::kStaging, required}},
    // The volume has no mount point any more.
    {if_exists, Call{Method::kGetDiskNumberFromVolumeID, Place::kNone, takes_disk}},
    {if_exists, Call{Method::kSetDiskOffline, Place::kNone, required}},
    // Also of a repetition, which has nothing else to do.
    {always, Call{Method::kListDiskIDs, Place::kNone, looks_whether_disk_is_in_use}},
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
          .unstage = kUnstage,
          .dead_ends = {{staging_is_empty_folder, removes_staging_folder}}};
}

}  // namespace gcp_pd_table

std::vector<Driver> gcp_pd() {
  return {
      gcp_pd_table::made("GCP PD", {{"filesystem", "v1"}, {"disk", "v1"}, {"volume", "v1"}}, false),
      gcp_pd_table::made("GCP PD's fallback",
                         {{"filesystem", "v1beta1"}, {"disk", "v1beta2"}, {"volume", "v1beta1"}},
                         true)};
}

}  // namespace longshore::test
