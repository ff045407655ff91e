// Windows' functions for volumes and where they are mounted; mounting and unmounting is done with
// the directories themselves (file_system_calls.h). Tests put a node of their own in place of it.
//
// A volume's name is "\\?\Volume{...}\", with the backslash at its end; a mount path is a directory
// with one. Nothing is judged here: errors are the system's.
//
// Threads: any number at once.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace longshore::support {

class VolumeFunctions {
 public:
  struct Names {
    std::error_code error;
    std::vector<std::wstring> names;
  };
  struct Name {
    std::error_code error;
    std::wstring name;
  };
  struct Filesystem {
    std::error_code error;
    std::string type;  // "NTFS"
    uint32_t serial_number = 0;
  };
  struct Space {
    std::error_code error;
    uint64_t total = 0;
    uint64_t free = 0;
  };

  virtual ~VolumeFunctions() = default;

  // All volumes that Windows has, on whatever device: FindFirstVolumeW and FindNextVolumeW.
  virtual Names volumes() = 0;
  // Where a volume is mounted: drives and directories. GetVolumePathNamesForVolumeNameW.
  virtual Names mount_paths(const std::wstring& volume) = 0;
  // The name of the volume that is mounted at a path: GetVolumeNameForVolumeMountPointW.
  virtual Name volume_at(const std::wstring& mount_path) = 0;

  // GetVolumeInformationW. ERROR_UNRECOGNIZED_VOLUME: it holds nothing that Windows knows.
  virtual Filesystem filesystem(const std::wstring& volume) = 0;
  // GetDiskFreeSpaceExW.
  virtual Space space(const std::wstring& volume) = 0;

  // The devices of the volumes without which Windows does not run, by paths that DeviceControl
  // opens: of its own directory, of the page files, and the one that it starts from.
  virtual Names needed_volumes() = 0;
};

// This node's volumes.
class SystemVolumeFunctions final : public VolumeFunctions {
 public:
  Names volumes() override;
  Names mount_paths(const std::wstring& volume) override;
  Name volume_at(const std::wstring& mount_path) override;
  Filesystem filesystem(const std::wstring& volume) override;
  Space space(const std::wstring& volume) override;
  Names needed_volumes() override;
};

}  // namespace longshore::support
