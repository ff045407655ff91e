// A disk, opened: its questions and changes by control codes, with errors that name the operation,
// the control code, the disk and what Windows answered.
//
// Threads: one at a time. Owner: whoever opened it; the handle is closed with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "longshore/result.hpp"
#include "support/windows/device_control.h"
#include "support/windows/disk_answers.h"
#include "support/windows/drive_layout.h"

namespace longshore::support {

// Its number, for people and for errors.
std::string disk_name(uint32_t number);

class DiskDevice {
 public:
  // NOT_FOUND: there is no disk of this number. `operation` completes "cannot ... "disk 3"".
  static Result<DiskDevice> open(DeviceControl& devices, uint32_t number,
                                 DeviceControl::Access access, std::string_view operation);

  uint32_t number() const { return number_; }

  Result<uint64_t> size_in_bytes();
  Result<DiskAttributes> attributes();
  Result<void> set_attribute(DiskAttribute attribute, bool is_set);
  // Whether its medium, or its driver, says that nobody can write to it.
  bool is_write_protected();

  Result<DriveLayout> layout();
  Result<void> create_gpt(const Guid& disk_id);
  Result<void> set_layout(const DriveLayout& layout);
  Result<void> grow_partition(uint32_t partition, uint64_t bytes);
  // Has Windows read the table and the size again.
  Result<void> update_properties();

  // Whole sectors; fewer bytes at the end.
  Result<std::string> read(uint64_t offset, size_t size);

  // FAILED_PRECONDITION, because of what is said.
  Error refused(std::string cause) const;

 private:
  struct Control {
    uint32_t code;
    const char* name;
  };

  DiskDevice(uint32_t number, std::unique_ptr<Device> device, std::string_view operation)
      : number_(number), device_(std::move(device)), operation_(operation) {}
  Result<std::string> ask(const Control& control, std::string_view request, size_t most);
  Error failed(const Control& control, const std::error_code& error) const;
  Error not_whole(const Control& control) const;
  template <typename T>
  Result<T> whole(const Control& control, const std::optional<T>& value) const {
    if (value) return *value;
    return not_whole(control);
  }

  uint32_t number_;
  std::unique_ptr<Device> device_;
  std::string operation_;
};

}  // namespace longshore::support
