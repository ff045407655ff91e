// What lets Rmdir unmount volumes, as in the sample of the configuration.
#pragma once

namespace longshore::test {

// A line of [modules.filesystem].
inline constexpr const char* kMayUnmount =
    "may_call = [\"v1.Volume/GetVolumeIDFromTargetPath\", \"v1.Volume/UnmountVolume\"]\n";

}  // namespace longshore::test
