// Reads attributes of sysfs: small files with one value each.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::block {

// The bytes of an attribute; nothing if it does not exist or cannot be read.
std::optional<std::string> read_attribute(const std::string& path);

// The same without white space at its ends, and as a number.
std::optional<std::string> read_text_attribute(const std::string& path);
std::optional<uint64_t> read_number_attribute(const std::string& path);

// "8:16" as a device.
std::optional<dev_t> read_device_attribute(const std::string& path);

// Writes an attribute in one piece: the kernel acts on it before this returns.
std::error_code write_attribute(const std::string& path, const std::string& value);

// The names in a directory, sorted; none if it does not exist.
std::vector<std::string> names_in(const std::string& path);

// The last name of what a link leads to ("0:0:1:0"), or "".
std::string link_name(const std::string& path);

// Whether the disk of this folder ("/sys/block/sda") can be opened already, and still: by the link
// `bdi`, the last thing that the kernel adds before, and the first that it takes away.
bool can_be_opened(const std::string& disk);

}  // namespace longshore::block
