// What drivers look at and do by themselves on the filesystem that they share with the node.
#pragma once

#include "tests/drivers/driver.h"

namespace longshore::test {

// MkdirAll.
Verdict makes_parent_of_target(Findings& found);
// Lstat: the method fails where there is nothing.
Verdict target_must_be_there(Findings& found);
// Lstat and ReadDir: a volume is mounted there. On Windows the first tells it by the link's mode.
Verdict looks_whether_mounted(Findings& found);

// MkdirAll.
Verdict makes_staging_folder(Findings& found);
Verdict makes_target_folder(Findings& found);
// ReadDir of what counts as mounted: the method succeeds if that can be read.
Verdict done_if_staging_can_be_read(Findings& found);
Verdict done_if_target_can_be_read(Findings& found);
// The same, where what cannot be read is an error of the method.
Verdict done_if_target_can_be_read_else_fails(Findings& found);

// The method succeeds here.
inline Verdict method_is_done(Findings&) { return Verdict::kDone; }

// A staging path that is neither mounted nor filled nor gone: some drivers can then not unstage.
bool staging_is_empty_folder(const VolumeContext& volume);
void removes_staging_folder(const VolumeContext& volume);

}  // namespace longshore::test
