// Windows' devices as the disk and the volume group reach them: opened by a path, asked with
// control codes, bytes in and bytes out. Tests put a node of their own in place of it.
//
// Nothing is judged here: errors are the system's, and what an answer means, and whether it is
// whole, is the business of who asked. A path is one of "\\.\PhysicalDrive3", "\\?\Volume{...}",
// without a backslash at its end, which would be the volume's root directory, and the interfaces
// that disk_interfaces() names.
//
// Threads: any number at once; each Device is used by one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace longshore::support {

class Device {
 public:
  struct Answer {
    std::error_code error;
    std::string bytes;
  };

  virtual ~Device() = default;

  // DeviceIoControl with room for an answer of `most` bytes.
  virtual Answer control(uint32_t code, std::string_view request, size_t most) = 0;

  // The bytes at a place: whole sectors, fewer at the device's end.
  virtual Answer read(uint64_t offset, size_t size) = 0;

  // FlushFileBuffers.
  virtual std::error_code flush() = 0;
};

class DeviceControl {
 public:
  // kQuery is granted also where the device itself is not to be touched.
  enum class Access { kQuery, kRead, kWrite };

  struct Opened {
    std::error_code error;
    std::unique_ptr<Device> device;  // unless there is an error
  };
  struct Interfaces {
    std::error_code error;
    std::vector<std::wstring> paths;
  };

  virtual ~DeviceControl() = default;
  virtual Opened open(const std::wstring& path, Access access) = 0;

  // The device interfaces of all disks that are there (GUID_DEVINTERFACE_DISK).
  virtual Interfaces disk_interfaces() = 0;
};

// This node's devices.
class SystemDeviceControl final : public DeviceControl {
 public:
  Opened open(const std::wstring& path, Access access) override;
  Interfaces disk_interfaces() override;
};

}  // namespace longshore::support
