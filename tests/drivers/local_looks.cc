#include "tests/drivers/local_looks.h"

#include "tests/drivers/node_files.h"

namespace longshore::test {

Verdict makes_parent_of_target(Findings& found) {
  found.context.files->make_directories(parent_of(found.context.target));
  return Verdict::kGoesOn;
}

Verdict target_must_be_there(Findings& found) {
  if (found.context.files->exists(found.context.target)) return Verdict::kGoesOn;
  found.failure = "the target is not there";
  return Verdict::kFails;
}

Verdict looks_whether_mounted(Findings& found) {
  found.mounted = found.context.files->is_mount_point(found.context.staging);
  return Verdict::kGoesOn;
}

Verdict makes_staging_folder(Findings& found) {
  found.context.files->make_directories(found.context.staging);
  return Verdict::kGoesOn;
}

Verdict makes_target_folder(Findings& found) {
  found.context.files->make_directories(found.context.target);
  return Verdict::kGoesOn;
}

Verdict done_if_staging_can_be_read(Findings& found) {
  return found.context.files->can_be_listed(found.context.staging) ? Verdict::kDone
                                                                   : Verdict::kGoesOn;
}

Verdict done_if_target_can_be_read(Findings& found) {
  return found.context.files->can_be_listed(found.context.target) ? Verdict::kDone
                                                                  : Verdict::kGoesOn;
}

Verdict done_if_target_can_be_read_else_fails(Findings& found) {
  if (found.context.files->can_be_listed(found.context.target)) return Verdict::kDone;
  found.failure = "the target cannot be read";
  return Verdict::kFails;
}

bool staging_is_empty_folder(const VolumeContext& volume) {
  NodeFiles& files = *volume.files;
  return files.is_directory(volume.staging) && !files.is_mount_point(volume.staging) &&
         files.is_empty(volume.staging);
}

void removes_staging_folder(const VolumeContext& volume) { volume.files->remove(volume.staging); }

}  // namespace longshore::test
