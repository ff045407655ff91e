// azurefile: kubernetes-sigs/azurefile-csi-driver at 7b5ae18e7.
//
// pkg/azurefile/nodeserver.go and azure_common_windows.go, pkg/mounter/safe_mounter_windows.go. No
// text or code of an answer is compared. It removes no mapping, so that each stage after the first
// meets one. Left out: volumes that are staged at the pod's own path (ephemeral ones).
#include "tests/drivers/drivers.h"
#include "tests/drivers/local_looks.h"
#include "tests/drivers/reactions.h"

namespace longshore::test {
namespace azurefile_table {

const Rows kStage = {
    {always, Call{Method::kPathExists, Place::kStaging, tells_existence}},
    {if_exists, Call{Method::kIsSymlink, Place::kStaging, tells_whether_mounted}},
    // A repetition ends here.
    {if_mounted, Local{done_if_staging_can_be_read}},
    // A share whose server is away.
    {if_mounted, Call{Method::kRmdir, Place::kStaging, required}, Reach::kNever},
    {if_not_mounted, Local{makes_staging_folder}},
    {always, Call{Method::kPathExists, Place::kStaging, tells_existence}},
    {if_exists, Call{Method::kRmdir, Place::kStaging, required}},
    {always, Call{Method::kPathExists, Place::kStagingParent, tells_existence}},
    // The driver has made the folder itself, above.
    {if_absent, Call{Method::kMkdir, Place::kStagingParent, required}, Reach::kNever},
    {always, Call{Method::kNewSmbGlobalMapping, Place::kStaging, required}},
};

const Rows kPublish = {
    {always, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    {if_exists, Call{Method::kIsSymlink, Place::kTarget, tells_whether_mounted}},
    // A repetition ends here. What cannot be read stays, as a pod may use it.
    {if_mounted, Local{done_if_target_can_be_read_else_fails}},
    {always, Local{makes_target_folder}},
    {always, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    {if_exists, Call{Method::kRmdir, Place::kTarget, required}},
    {always, Call{Method::kCreateSymlink, Place::kTarget, required}},
};

// The figures it takes from its own filesystem.
const Rows kStats = {
    {always, Local{target_must_be_there}},
};

const Rows kUnpublish = {
    {always, Call{Method::kRmdir, Place::kTarget, required}},
};

// Whether it is to remove the mount or not, which it can be told: the call is the same.
const Rows kUnstage = {
    {always, Call{Method::kRmdir, Place::kStaging, required}},
};

Driver made(std::string name, const std::string& filesystem, const std::string& smb) {
  return {.name = std::move(name),
          .groups = {{"filesystem", filesystem}, {"smb", smb}},
          .has_beta_wire = filesystem != "v1",
          .start = {},
          .stage = kStage,
          .publish = kPublish,
          .stats = kStats,
          .expand = {},
          .unpublish = kUnpublish,
          .unstage = kUnstage,
          .uses_disk = false,
          .keeps_mapping = true,
          .expansions = {}};
}

}  // namespace azurefile_table

std::vector<Driver> azurefile() {
  using azurefile_table::made;
  return {made("azurefile", "v1", "v1"), made("azurefile's fallback", "v1beta1", "v1beta1")};
}

}  // namespace longshore::test
