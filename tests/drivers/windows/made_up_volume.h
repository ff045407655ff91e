// What the node that is made up has for a driver: a disk, beside another one, and a share. As
// whoever made them knows them.
#pragma once

#include <cstdint>

namespace longshore::test {

constexpr uint32_t kVolumeDisk = 1;
constexpr uint64_t kVolumeDiskBytes = uint64_t{64} << 20;
constexpr uint8_t kVolumeLun = 3;
constexpr const char* kVolumePage83 = "Google  pd-0a1b2c3d";
constexpr const char* kVolumeSerial = "vol0a1b2c3d4e5f";

// What lies beside it, so that a driver that takes the wrong one is found out.
constexpr uint32_t kOtherDisk = 2;

constexpr const char* kShareRoot = R"(\\files\share)";
constexpr const char* kShareFolder = "pvc-0a1b2c3d";
constexpr const char* kShareUser = "smbu";
constexpr const char* kSharePassword = "P@ss,w0rd";

// The kubelet's, which the groups are allowed.
constexpr const char* kNodeRoot = R"(C:\var\lib\kubelet)";

}  // namespace longshore::test
