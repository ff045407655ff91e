#include "support/windows/disk_device.h"

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <algorithm>
#include <cstring>

#include "support/windows/system_error.h"

namespace longshore::support {
namespace {

// Two that the headers of mingw do not have.
constexpr uint32_t kGetDiskAttributes =
    CTL_CODE(IOCTL_DISK_BASE, 0x003c, METHOD_BUFFERED, FILE_ANY_ACCESS);
constexpr uint32_t kSetDiskAttributes =
    CTL_CODE(IOCTL_DISK_BASE, 0x003d, METHOD_BUFFERED, FILE_READ_ACCESS | FILE_WRITE_ACCESS);

// A table of 128 partitions, and what no table has.
constexpr size_t kLayoutBytes = 32 << 10;
constexpr size_t kMostLayoutBytes = 1 << 20;
constexpr size_t kAnswerBytes = 256;

}  // namespace

std::string disk_name(uint32_t number) { return "disk " + std::to_string(number); }

Result<DiskDevice> DiskDevice::open(DeviceControl& devices, uint32_t number,
                                    DeviceControl::Access access, std::string_view operation) {
  DeviceControl::Opened opened =
      devices.open(L"\\\\.\\PhysicalDrive" + std::to_wstring(number), access);
  if (!opened.error) return DiskDevice(number, std::move(opened.device), operation);
  const StatusCode code = status_code_of_windows(opened.error);
  if (code == StatusCode::kNotFound) {
    return Error(code, std::string(operation), disk_name(number)).because("there is no such disk");
  }
  return Error(code, std::string(operation), disk_name(number)).because(opened.error);
}

Error DiskDevice::refused(std::string cause) const {
  return Error(StatusCode::kFailedPrecondition, operation_, disk_name(number_))
      .because(std::move(cause));
}

Error DiskDevice::failed(const Control& control, const std::error_code& error) const {
  return Error(status_code_of_windows(error), operation_ + " by " + control.name + " on",
               disk_name(number_))
      .because(error);
}

Error DiskDevice::not_whole(const Control& control) const {
  return Error(StatusCode::kInternal, operation_, disk_name(number_))
      .because(std::string("its driver's answer to ") + control.name +
               " is too short, or contradicts itself");
}

Result<std::string> DiskDevice::ask(const Control& control, std::string_view request, size_t most) {
  Device::Answer answer = device_->control(control.code, request, most);
  if (answer.error) return failed(control, answer.error);
  return std::move(answer.bytes);
}

Result<uint64_t> DiskDevice::size_in_bytes() {
  constexpr Control kLength{IOCTL_DISK_GET_LENGTH_INFO, "IOCTL_DISK_GET_LENGTH_INFO"};
  constexpr Control kGeometry{IOCTL_DISK_GET_DRIVE_GEOMETRY_EX, "IOCTL_DISK_GET_DRIVE_GEOMETRY_EX"};
  const Device::Answer length = device_->control(kLength.code, {}, kAnswerBytes);
  if (!length.error) return whole(kLength, length_in(length.bytes));
  // Drivers that do not know it know the older one.
  if (status_code_of_windows(length.error) != StatusCode::kUnimplemented) {
    return failed(kLength, length.error);
  }
  const Result<std::string> geometry = ask(kGeometry, {}, kAnswerBytes);
  if (!geometry) return geometry.error();
  return whole(kGeometry, size_of_geometry(*geometry));
}

Result<DiskAttributes> DiskDevice::attributes() {
  constexpr Control kGet{kGetDiskAttributes, "IOCTL_DISK_GET_DISK_ATTRIBUTES"};
  const Result<std::string> answer = ask(kGet, {}, kAnswerBytes);
  if (!answer) return answer.error();
  return whole(kGet, disk_attributes(*answer));
}

Result<void> DiskDevice::set_attribute(DiskAttribute attribute, bool is_set) {
  constexpr Control kSet{kSetDiskAttributes, "IOCTL_DISK_SET_DISK_ATTRIBUTES"};
  const auto done = ask(kSet, set_disk_attribute(attribute, is_set), 0);
  if (!done) return done.error();
  // What Windows keeps of the table may be older. It finds out itself, a little later.
  static_cast<void>(update_properties());
  return {};
}

// Every other error says nothing of it: a driver that does not know the question, a disk that is
// offline.
bool DiskDevice::is_write_protected() {
  const Device::Answer answer = device_->control(IOCTL_DISK_IS_WRITABLE, {}, 0);
  return is_windows_error(answer.error, ERROR_WRITE_PROTECT);
}

Result<DriveLayout> DiskDevice::layout() {
  constexpr Control kGet{IOCTL_DISK_GET_DRIVE_LAYOUT_EX, "IOCTL_DISK_GET_DRIVE_LAYOUT_EX"};
  for (size_t most = kLayoutBytes;; most *= 2) {
    const Device::Answer answer = device_->control(kGet.code, {}, most);
    if (!answer.error) return whole(kGet, DriveLayout::parse(answer.bytes));
    const bool has_more = is_windows_error(answer.error, ERROR_INSUFFICIENT_BUFFER) ||
                          is_windows_error(answer.error, ERROR_MORE_DATA);
    if (!has_more || most >= kMostLayoutBytes) return failed(kGet, answer.error);
  }
}

Result<void> DiskDevice::create_gpt(const Guid& disk_id) {
  constexpr Control kCreate{IOCTL_DISK_CREATE_DISK, "IOCTL_DISK_CREATE_DISK"};
  const auto done = ask(kCreate, support::create_gpt(disk_id), 0);
  return done ? update_properties() : done.error();
}

Result<void> DiskDevice::set_layout(const DriveLayout& layout) {
  constexpr Control kSet{IOCTL_DISK_SET_DRIVE_LAYOUT_EX, "IOCTL_DISK_SET_DRIVE_LAYOUT_EX"};
  const auto done = ask(kSet, layout.bytes(), 0);
  return done ? update_properties() : done.error();
}

Result<void> DiskDevice::grow_partition(uint32_t partition, uint64_t bytes) {
  constexpr Control kGrow{IOCTL_DISK_GROW_PARTITION, "IOCTL_DISK_GROW_PARTITION"};
  DISK_GROW_PARTITION request{};
  request.PartitionNumber = partition;
  request.BytesToGrow.QuadPart = static_cast<LONGLONG>(bytes);
  const auto done = ask(kGrow, bytes_of(request), 0);
  return done ? update_properties() : done.error();
}

Result<void> DiskDevice::update_properties() {
  constexpr Control kUpdate{IOCTL_DISK_UPDATE_PROPERTIES, "IOCTL_DISK_UPDATE_PROPERTIES"};
  const auto done = ask(kUpdate, {}, 0);
  return done ? Result<void>() : done.error();
}

Result<std::string> DiskDevice::read(uint64_t offset, size_t size) {
  Device::Answer answer = device_->read(offset, size);
  if (answer.error) return failed({0, "reading"}, answer.error);
  return std::move(answer.bytes);
}

}  // namespace longshore::support
