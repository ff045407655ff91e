// The life of a disk and its volume, as drivers of csi-proxy take them through it.
#pragma once

#include <vector>

#include "tests/demo/demo_disk.h"
#include "tests/demo/steps.h"

namespace longshore::demo {

// In v1; then, shortly, by the old names of v1beta2, and what v2alpha1 adds. The steps are to be
// run one after the other with the value "disk", the disk's number. The disk outlives them.
std::vector<Part> disk_parts(DemoDisk& disk);

}  // namespace longshore::demo
