// csi-driver-smb: kubernetes-csi/csi-driver-smb at 95c696805.
//
// pkg/smb/nodeserver.go and smb_common_windows.go, pkg/mounter/safe_mounter_windows.go and
// refcounter_windows.go; of its versions before v1 safe_mounter_v1beta_windows.go, which never
// removes a mapping. No text or code of an answer is compared. Left out: servers whose names the
// cluster's DNS knows, and volumes that are staged at the pod's own path (ephemeral ones).
//
// It counts the volumes of a share by files in a folder of its own, one for each, below names that
// it takes from the text of the staging path's link. On Windows that text is \\server\share; on
// Linux it has the two names behind the directory of the mappings, see modules/smb/README.md.
#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "tests/drivers/drivers.h"
#include "tests/drivers/local_looks.h"
#include "tests/drivers/node_files.h"
#include "tests/drivers/reactions.h"
#include "tests/support/node_path.h"

namespace longshore::test {
namespace csi_smb_table {

std::string small_letters(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char each) { return std::tolower(each); });
  return text;
}

// The first two names of a path: "server/share" of "\\Server\Share\directory". Empty: it has fewer.
std::string first_names(std::string path) {
  std::ranges::replace(path, '\\', '/');
  std::istringstream names(small_letters(path));
  std::vector<std::string> found;
  for (std::string name; found.size() < 2 && std::getline(names, name, '/');) {
    if (!name.empty()) found.push_back(name);
  }
  return found.size() < 2 ? "" : found[0] + "/" + found[1];
}

// The same, of the link that the agent made. Empty if it leads anywhere else.
std::string root_of_link(const VolumeContext& volume, const std::string& link) {
  const std::string before = volume.mappings.empty() ? "\\\\" : volume.mappings + "/";
  return link.starts_with(before) ? first_names(link.substr(before.size())) : "";
}

std::string references(const VolumeContext& volume) {
  return node_path(volume.driver_folder + "/" + first_names(volume.share));
}
std::string reference(const VolumeContext& volume) {
  return node_path(references(volume) + "/this-volume");
}

void count(const VolumeContext& volume, const std::string& reference) {
  volume.files->make_directories(parent_of(reference));
  volume.files->write(reference, "");
}

Verdict counts_reference(Findings& found) {
  count(found.context, reference(found.context));
  return Verdict::kGoesOn;
}

Verdict counts_reference_of_another_volume(Findings& found) {
  count(found.context, node_path(references(found.context) + "/another-volume"));
  return Verdict::kGoesOn;
}

// That there is none is only logged.
Verdict takes_link(Findings& found) {
  found.link = found.context.files->link_text(found.context.staging).value_or("");
  return Verdict::kGoesOn;
}

// It has no reference when it comes here for the second time: see kDeadEnd.
Verdict forgets_reference(Findings& found) {
  if (root_of_link(found.context, found.link) != first_names(found.context.share)) {
    found.failure = "the link \"" + found.link + "\" does not lead into the share";
    return Verdict::kFails;
  }
  if (!found.context.files->remove(reference(found.context))) {
    found.failure = "there is no reference of this volume";
    return Verdict::kFails;
  }
  found.is_last_reference = found.context.files->is_empty(references(found.context));
  return Verdict::kGoesOn;
}

bool has_link_without_reference(const VolumeContext& volume) {
  return volume.files->link_text(volume.staging) && !volume.files->exists(reference(volume));
}
void restores_reference(const VolumeContext& volume) { count(volume, reference(volume)); }

// Between NewSmbGlobalMapping and the reference, and between the end of the reference and Rmdir.
const DeadEnd kDeadEnd = {has_link_without_reference, restores_reference};

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
    {always, Local{counts_reference}},
};

const Rows kPublish = {
    {always, Call{Method::kPathExists, Place::kTarget, tells_existence}},
    {if_exists, Call{Method::kIsSymlink, Place::kTarget, tells_whether_mounted}},
    // A repetition ends here.
    {if_mounted, Local{done_if_target_can_be_read}},
    {if_mounted, Call{Method::kRmdir, Place::kTarget, required}, Reach::kNever},
    {if_not_mounted, Local{makes_target_folder}},
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

const Rows kUnstage = {
    {always, Local{takes_link}},
    {if_link_known, Local{forgets_reference}},
    {if_last_reference, Call{Method::kRemoveSmbGlobalMapping, Place::kNone, required}},
    {always, Call{Method::kRmdir, Place::kStaging, required}},
};

const Rows kUnstageThatKeepsMapping = {
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
          .expansions = {},
          .dead_ends = {kDeadEnd}};
}

}  // namespace csi_smb_table

std::vector<Driver> csi_smb() {
  using namespace csi_smb_table;
  std::vector<Driver> all = {made("csi-driver-smb", "v1", "v1"),
                             made("csi-driver-smb beside another volume", "v1", "v1"),
                             made("csi-driver-smb's fallback", "v1beta1", "v1beta1")};
  all[1].start = {{always, Local{counts_reference_of_another_volume}}};
  all[1].keeps_mapping = true;
  all[1].unstage[2].reach = Reach::kNever;  // it is never the last
  all[2].unstage = kUnstageThatKeepsMapping;
  all[2].keeps_mapping = true;
  return all;
}

}  // namespace longshore::test
