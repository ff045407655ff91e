// Units of systemd's for what is mounted on a path, which a line in /etc/fstab or a file makes.
//
// systemd takes whatever is mounted there for the unit's, and unmounts it if the unit cannot be
// active, as when it is of a disk that is gone. So a mount there is not done before systemd has
// seen it.
//
// Threads: any.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"

namespace longshore::volume {

// Where systemd looks for units, in its order.
std::vector<std::string> unit_directories();

// How systemd calls the unit of an absolute path without links: "/mnt/a-b" is "mnt-a\x2db.mount".
std::string mount_unit_name(std::string_view path);

// The file of the path's unit in the first of the directories that has one; nothing if none has.
// What systemd knows since such a file was there is not found.
std::optional<std::string> mount_unit_of(std::string_view path,
                                         const std::vector<std::string>& directories);

// Where the path has a unit, returns when systemd has had time to see what was just mounted there.
// FAILED_PRECONDITION, with the unit: `is_mounted` is not true any more.
Result<void> outlast_mount_unit(const std::string& path,
                                const std::vector<std::string>& directories,
                                const std::function<bool()>& is_mounted, const Deadline& deadline);

}  // namespace longshore::volume
