// Waiting for a disk that was just plugged in, until it can be opened.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace longshore::test {

// SCSI's "sda", virtio's "vda", "nvme0n1" and so on; without those whose node has not come yet.
std::set<std::string> disk_names();

// The one that was not there before. Throws when none comes.
std::string await_new_disk(const std::set<std::string>& before);

// What the disk group calls it.
uint32_t disk_number(const std::string& name);

}  // namespace longshore::test
