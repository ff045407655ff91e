// AWS EBS: kubernetes-sigs/aws-ebs-csi-driver at 429e202e5, with its mounter V1.
//
// pkg/mounter/mount_windows_proxyV1.go and mount_windows.go, pkg/driver/node.go. It has no
// fallback. The one driver that reads the text of an error: handleGetDeviceNameFromMountError, by
// which a staging path counts as empty.
#include <regex>

#include "tests/drivers/drivers.h"
#include "tests/drivers/local_looks.h"
#include "tests/drivers/reactions.h"

namespace longshore::test {
namespace aws_ebs_table {

// mount_windows.go:152, on the error as gRPC prints it; the code is not looked at.
bool says_nothing_is_mounted(const std::string& error) {
  static const std::regex kPattern(
      "(Get-Item -Path \\S+).Target, output: , error: <nil>|because it does not exist");
  return std::regex_search(error, kPattern);
}

// GetDeviceNameFromMount's two calls. A volume that is found is kept, and of a text that says that
// nothing is mounted the lack of one; another error ends the method.
Verdict takes_volume_unless_text_says_none(Findings& found, const Reply& reply) {
  found.volume.clear();
  if (says_nothing_is_mounted(reply.error)) return Verdict::kGoesOn;
  return takes_volume(found, reply);
}
// NodeUnstage: nothing is mounted, which is success. The folder stays.
Verdict done_if_text_says_none(Findings& found, const Reply& reply) {
  if (says_nothing_is_mounted(reply.error)) return Verdict::kDone;
  return takes_volume(found, reply);
}
// NodeStage: the volume's own disk means that it is staged.
Verdict done_if_disk_is_the_volumes(Findings& found, const Reply& reply) {
  if (says_nothing_is_mounted(reply.error)) return Verdict::kGoesOn;
  if (!reply.failed() && reply.disk == found.disk) return Verdict::kDone;
  return required(found, reply);
}
Verdict required_unless_text_says_none(Findings& found, const Reply& reply) {
  return says_nothing_is_mounted(reply.error) ? Verdict::kGoesOn : required(found, reply);
}
Verdict done_if_text_says_disk_is_gone(Findings& found, const Reply& reply) {
  return says_nothing_is_mounted(reply.error) ? Verdict::kDone : required(found, reply);
}

// NeedResize, mount_windows.go:254: the wrong way round, so that it seldom asks for one.
Verdict looks_whether_to_resize(Findings& found) {
  found.resize_wanted = found.disk_bytes <= found.filesystem_bytes + 4096;
  return Verdict::kGoesOn;
}

const Rows kStage = {
    // On a connection of its own, see Driver::connects_anew.
    {always, Call{Method::kListDiskIDs, Place::kNone, takes_disk_by_serial_part}},
    {always, Call{Method::kPathExists, Place::kStaging, tells_existence}},
    {if_absent, Call{Method::kMkdir, Place::kStaging, required}},
    // Of a plain folder an error, whose text must say that nothing is mounted.
    {always,
     Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, takes_volume_unless_text_says_none}},
    // A repetition ends here.
    {if_volume_known,
     Call{Method::kGetDiskNumberFromVolumeID, Place::kNone, done_if_disk_is_the_volumes}},
    // The disk is offline if the last thing that was done to it is the end of kUnstage.
    {always, Call{Method::kPartitionDisk, Place::kNone, required}},
    {always, Call{Method::kSetDiskOnline, Place::kNone, required}},
    {always, Call{Method::kListVolumesOnDisk, Place::kNone, first_volume_or_panic}},
    {always, Call{Method::kIsVolumeFormatted, Place::kNone, tells_whether_formatted}},
    {if_unformatted, Call{Method::kFormatVolume, Place::kNone, required}},
    {always, Call{Method::kMountVolume, Place::kStaging, required}},
    {always, Call{Method::kRescan, Place::kNone, ignored}},
    {always, Call{Method::kGetDiskStats, Place::kNone, takes_disk_bytes}},
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, takes_volume}},
    {always, Call{Method::kGetVolumeStats, Place::kNone, takes_filesystem_bytes}},
    {always, Local{looks_whether_to_resize}},
    // A partition is always over 4 KiB smaller than its disk.
    {if_resize_wanted, Call{Method::kRescan, Place::kNone, ignored}, Reach::kNever},
    {if_resize_wanted, Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, takes_volume},
     Reach::kNever},
    {if_resize_wanted, Call{Method::kResizeVolume, Place::kNone, required}, Reach::kNever},
};

const Rows kPublish = {
    {always, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    {if_exists, Call{Method::kRmdir, Place::kTarget, required}},
    {if_exists, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    // Where Rmdir has succeeded there is nothing any more.
    {if_exists, Call{Method::kIsSymlink, Place::kTarget, done_if_link}, Reach::kNever},
    {always, Call{Method::kCreateSymlink, Place::kTarget, required}},
};

// The figures themselves it takes from its own filesystem.
const Rows kStats = {
    {always, Call{Method::kPathExists, Place::kTarget, must_exist}},
    {always, Local{target_must_be_there}},
};

const Rows kExpand = {
    {always,
     Call{Method::kGetVolumeIDFromTargetPath, Place::kTarget, takes_volume_unless_text_says_none}},
    {if_volume_known,
     Call{Method::kGetDiskNumberFromVolumeID, Place::kNone, required_unless_text_says_none}},
    {always, Call{Method::kListDiskIDs, Place::kNone, takes_disk_by_serial_part}},
    {always, Call{Method::kRescan, Place::kNone, ignored}},
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kTarget, takes_volume}},
    {always, Call{Method::kResizeVolume, Place::kNone, required}},
    {always, Call{Method::kGetDiskStats, Place::kNone, takes_disk_bytes}},
};

const Rows kUnpublish = {
    {always, Call{Method::kRmdir, Place::kTarget, required}},
};

const Rows kUnstage = {
    // A repetition ends here.
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, done_if_text_says_none}},
    {always,
     Call{Method::kGetDiskNumberFromVolumeID, Place::kNone, done_if_text_says_disk_is_gone}},
    {always, Call{Method::kGetVolumeIDFromTargetPath, Place::kStaging, takes_volume}},
    {always, Call{Method::kUnmountVolume, Place::kStaging, required}},
    {always, Call{Method::kRmdir, Place::kStaging, required}},
    // The volume has no mount point any more.
    {always, Call{Method::kGetDiskNumberFromVolumeID, Place::kNone, takes_disk}},
    // Not repeated where it fails: what comes then ends at the first row.
    {always, Call{Method::kSetDiskOffline, Place::kNone, required}},
};

}  // namespace aws_ebs_table

std::vector<Driver> aws_ebs() {
  using namespace aws_ebs_table;
  return {{.name = "AWS EBS",
           .groups = {{"filesystem", "v1"}, {"disk", "v1"}, {"volume", "v1"}},
           .has_beta_wire = false,
           .start = {},
           .stage = kStage,
           .publish = kPublish,
           .stats = kStats,
           .expand = kExpand,
           .unpublish = kUnpublish,
           .unstage = kUnstage,
           .makes_staging = true,
           .connects_anew = true}};
}

}  // namespace longshore::test
