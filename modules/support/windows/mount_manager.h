// What Windows' mount manager is told of volumes on directories.
//
// It keeps its own list of them beside the reparse points themselves, by which it answers at what
// paths a volume is mounted. Windows' functions for paths tell it; who changes a reparse point by
// its handle has to.
//
// Threads: plain functions.
#pragma once

#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

namespace longshore::support {

// The notice (MOUNTMGR_VOLUME_MOUNT_POINT) that a volume is mounted on a directory, or no longer.
// `directory` has the prefix \\?\, `volume` is a volume's name. Empty: the names are too long.
std::vector<std::byte> mount_point_notice(std::wstring_view directory, std::wstring_view volume);

// Tells the mount manager that the volume is mounted on the directory.
std::error_code tell_mount_point_made(std::wstring_view directory, std::wstring_view volume);

// Tells the mount manager that the volume is no longer mounted on the directory.
std::error_code tell_mount_point_gone(std::wstring_view directory, std::wstring_view volume);

}  // namespace longshore::support
