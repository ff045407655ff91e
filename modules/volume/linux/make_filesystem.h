// Makes a filesystem on a device with the system's mkfs: no library does it.
#pragma once

#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::volume {

// What errors of FormatVolume say was tried.
inline constexpr const char* kFormatOperation = "format";

struct FilesystemMaker {
  std::string filesystem;  // "ext4", "xfs", "btrfs", "ntfs"
  std::string directory;   // of the mkfs programs

  // UNIMPLEMENTED: the program is not there. FAILED_PRECONDITION: the kernel could not mount what
  // would be made (ntfs needs ntfs3).
  Result<void> check(const std::string& object) const;

  // A new uuid for run(); "" if this mkfs takes none (ntfs).
  Result<std::string> new_uuid() const;

  // Runs to its end. `device` is the volume's opened node, which mkfs is given as a descriptor so
  // that it cannot meet another device; it also inherits `disk_lock` and keeps the disk locked if
  // the agent is killed. INTERNAL: mkfs failed, with what it said.
  Result<void> run(const FileDescriptor& device, const FileDescriptor& disk_lock,
                   const std::string& uuid, const std::string& object) const;

 private:
  std::string program() const { return directory + "/mkfs." + filesystem; }
};

}  // namespace longshore::volume
