#include "tests/support/windows/fake_node.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/disk_answers.h"
#include "support/windows/drive_layout.h"
#include "support/windows/guid_text.h"
#include "tests/support/windows/fake_node_codes.h"

namespace longshore::test {

using support::bytes_of;
using support::Device;
using support::structure_at;
using support::WmiObject;

namespace {

constexpr uint64_t kMebibyte = 1 << 20;
constexpr std::wstring_view kInterface = L"\\\\?\\fake#disk";
constexpr std::wstring_view kDrive = L"\\\\.\\PhysicalDrive";
constexpr size_t kHead = offsetof(DRIVE_LAYOUT_INFORMATION_EX, PartitionEntry);

FakeNode::Answer failed(DWORD code) { return {windows_code(code), {}}; }

std::optional<uint32_t> number_after(std::wstring_view path, std::wstring_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  uint32_t number = 0;
  for (const wchar_t c : path.substr(prefix.size())) {
    if (c < L'0' || c > L'9') return std::nullopt;
    number = number * 10 + static_cast<uint32_t>(c - L'0');
  }
  return number;
}

bool same(const std::wstring& left, const std::wstring& right) {
  return CompareStringOrdinal(left.c_str(), -1, right.c_str(), -1, TRUE) == CSTR_EQUAL;
}

void use_whole(FakeDisk& disk) {
  constexpr uint64_t kTable = 34 * 512;
  disk.usable_start = kTable;
  disk.usable_length = disk.bytes - std::min(disk.bytes, 2 * kTable);
}

}  // namespace

std::error_code windows_code(DWORD code) {
  return {static_cast<int>(code), std::system_category()};
}

class FakeNode::DiskHandle final : public Device {
 public:
  DiskHandle(FakeNode& node, uint32_t number, std::wstring path, Access access)
      : node_(node), number_(number), path_(std::move(path)), access_(access) {}

  Answer control(uint32_t code, std::string_view request, size_t most) override {
    const std::lock_guard lock(node_.mutex_);
    node_.asked.push_back(code);
    if (node_.answer_instead) {
      if (auto instead = node_.answer_instead(path_, code)) return *std::move(instead);
    }
    // A control code says itself what a handle has to be opened for.
    const DWORD needed = (code >> 14) & 3;
    if ((needed & FILE_WRITE_ACCESS) != 0 && access_ != Access::kWrite) {
      return failed(ERROR_ACCESS_DENIED);
    }
    if ((needed & FILE_READ_ACCESS) != 0 && access_ == Access::kQuery) {
      return failed(ERROR_ACCESS_DENIED);
    }
    Answer answer = node_.control_disk(number_, code, request);
    if (answer.bytes.size() > most) return failed(ERROR_INSUFFICIENT_BUFFER);
    return answer;
  }
  Answer read(uint64_t offset, size_t size) override {
    if (access_ == Access::kQuery) return failed(ERROR_ACCESS_DENIED);
    return node_.read_disk(number_, offset, size);
  }
  std::error_code flush() override { return {}; }

 private:
  FakeNode& node_;
  const uint32_t number_;
  const std::wstring path_;
  const Access access_;
};

class FakeNode::VolumeHandle final : public Device {
 public:
  VolumeHandle(FakeNode& node, const Place& place, std::wstring path, Access access)
      : node_(node), place_(place), path_(std::move(path)), access_(access) {}
  ~VolumeHandle() override {
    const std::lock_guard lock(node_.mutex_);
    if (holds_lock_) node_.locked_.erase(place_);
  }

  Answer control(uint32_t code, std::string_view request, size_t most) override {
    const std::lock_guard lock(node_.mutex_);
    node_.asked.push_back(code);
    if (node_.answer_instead) {
      if (auto instead = node_.answer_instead(path_, code)) return *std::move(instead);
    }
    Answer answer = node_.control_volume(place_, code, request);
    if (code == FSCTL_LOCK_VOLUME && !answer.error) holds_lock_ = true;
    if (answer.bytes.size() > most) return failed(ERROR_MORE_DATA);
    return answer;
  }
  Answer read(uint64_t offset, size_t size) override {
    if (access_ == Access::kQuery) return failed(ERROR_ACCESS_DENIED);
    return node_.read_disk(place_.first, place_.second + offset, size);
  }
  std::error_code flush() override {
    const std::lock_guard lock(node_.mutex_);
    if (access_ != Access::kWrite) return windows_code(ERROR_ACCESS_DENIED);
    ++node_.volumes_[place_].flushes;
    return {};
  }

 private:
  FakeNode& node_;
  const Place place_;
  const std::wstring path_;
  const Access access_;
  bool holds_lock_ = false;
};

FakeNode::FakeNode(uint32_t system_disk) : system_disk_(system_disk) {
  FakeDisk& system = disks_[system_disk_];
  system.style = PARTITION_STYLE_GPT;
  system.disk_id.Data1 = 1;
  use_whole(system);
  PARTITION_INFORMATION_EX entry{};
  entry.PartitionStyle = PARTITION_STYLE_GPT;
  entry.StartingOffset.QuadPart = kMebibyte;
  entry.PartitionLength.QuadPart = 62 * kMebibyte;
  entry.PartitionNumber = 1;
  entry.Gpt.PartitionType = windows_guid(kBasicDataType);
  entry.Gpt.PartitionId.Data1 = 0xc;
  system.entries.push_back(entry);
  FakeVolume& volume = volumes_[{system_disk_, kMebibyte}];
  volume = {.filesystem = "NTFS", .filesystem_bytes = 62 * kMebibyte, .paths = {L"C:\\"}};
}

void FakeNode::remove_disk(uint32_t number) {
  const std::lock_guard lock(mutex_);
  disks_.erase(number);
  std::erase_if(volumes_, [&](const auto& each) { return each.first.first == number; });
}

const PARTITION_INFORMATION_EX* FakeNode::partition_at(const Place& place) const {
  const auto disk = disks_.find(place.first);
  if (disk == disks_.end()) return nullptr;
  const auto found = std::ranges::find_if(disk->second.entries, [&](const auto& entry) {
    return static_cast<uint64_t>(entry.StartingOffset.QuadPart) == place.second;
  });
  return found == disk->second.entries.end() ? nullptr : &*found;
}

std::vector<FakeNode::Place> FakeNode::places() const {
  std::vector<Place> found;
  for (const auto& [number, disk] : disks_) {
    if (disk.offline) continue;
    for (const PARTITION_INFORMATION_EX& entry : disk.entries) {
      if (!support::is_data(std::bit_cast<support::PartitionEntry>(entry))) continue;
      found.emplace_back(number, static_cast<uint64_t>(entry.StartingOffset.QuadPart));
    }
  }
  return found;
}

std::wstring FakeNode::name_of(const Place& place) const {
  const PARTITION_INFORMATION_EX* entry = partition_at(place);
  if (entry == nullptr) return {};
  GUID guid = entry->Gpt.PartitionId;
  if (entry->PartitionStyle != PARTITION_STYLE_GPT) {
    guid = {place.first, 0xabcd, static_cast<uint16_t>(place.second / kMebibyte), {}};
  }
  return wide(support::volume_id(std::bit_cast<support::Guid>(guid)));
}

std::optional<FakeNode::Place> FakeNode::place_of(const std::wstring& volume_name) const {
  const std::lock_guard lock(mutex_);
  std::wstring name = volume_name;
  if (!name.ends_with(L'\\')) name += L'\\';
  for (const Place& place : places()) {
    if (same(name_of(place), name)) return place;
  }
  return std::nullopt;
}

FakeVolume& FakeNode::volume(uint32_t disk) {
  const std::lock_guard lock(mutex_);
  for (const Place& place : places()) {
    if (place.first == disk) return volumes_[place];
  }
  return volumes_[{disk, 0}];
}

std::wstring FakeNode::volume_name(uint32_t disk) const {
  const std::lock_guard lock(mutex_);
  for (const Place& place : places()) {
    if (place.first == disk) return name_of(place);
  }
  return {};
}

support::DeviceControl::Opened FakeNode::open(const std::wstring& path, Access access) {
  const std::lock_guard lock(mutex_);
  auto number = number_after(path, kDrive);
  if (!number) number = number_after(path, kInterface);
  if (number) {
    if (!disks_.contains(*number)) return {windows_code(ERROR_FILE_NOT_FOUND), nullptr};
    return {{}, std::make_unique<DiskHandle>(*this, *number, path, access)};
  }
  const auto place =
      path == L"\\\\.\\C:" ? std::optional(Place{system_disk_, kMebibyte}) : place_of(path);
  if (!place) return {windows_code(ERROR_FILE_NOT_FOUND), nullptr};
  if (open_instead && access == Access::kWrite) return {open_instead, nullptr};
  return {{}, std::make_unique<VolumeHandle>(*this, *place, path, access)};
}

support::DeviceControl::Interfaces FakeNode::disk_interfaces() {
  const std::lock_guard lock(mutex_);
  if (interfaces_instead) return *interfaces_instead;
  Interfaces found;
  for (const auto& [number, disk] : disks_) {
    found.paths.push_back(std::wstring(kInterface) + std::to_wstring(number));
  }
  return found;
}

FakeNode::Answer FakeNode::read_disk(uint32_t number, uint64_t offset, size_t size) {
  const std::lock_guard lock(mutex_);
  const auto disk = disks_.find(number);
  if (disk == disks_.end()) return failed(ERROR_DEV_NOT_EXIST);
  if (offset % 512 != 0) return failed(ERROR_INVALID_PARAMETER);
  const uint64_t there = disk->second.bytes - std::min(disk->second.bytes, offset);
  std::string bytes(static_cast<size_t>(std::min<uint64_t>(size, there)), '\0');
  for (const auto& [place, byte] : disk->second.content) {
    if (place >= offset && place - offset < bytes.size()) bytes[place - offset] = byte;
  }
  return {{}, std::move(bytes)};
}

FakeNode::Answer FakeNode::layout_of(const FakeDisk& disk) const {
  DRIVE_LAYOUT_INFORMATION_EX head{};
  head.PartitionStyle = disk.style;
  head.PartitionCount = static_cast<DWORD>(disk.entries.size());
  if (disk.style == PARTITION_STYLE_GPT) {
    head.Gpt.DiskId = disk.disk_id;
    head.Gpt.StartingUsableOffset.QuadPart = static_cast<LONGLONG>(disk.usable_start);
    head.Gpt.UsableLength.QuadPart = static_cast<LONGLONG>(disk.usable_length);
    head.Gpt.MaxPartitionCount = 128;
  } else {
    head.Mbr.Signature = disk.signature;
  }
  std::string bytes = bytes_of(head).substr(0, kHead);
  for (const PARTITION_INFORMATION_EX& entry : disk.entries) bytes += bytes_of(entry);
  return {{}, std::move(bytes)};
}

FakeNode::Answer FakeNode::create_disk(FakeDisk& disk, std::string_view request) {
  const auto wanted = structure_at<CREATE_DISK>(request);
  if (!wanted) return failed(ERROR_INVALID_PARAMETER);
  if (disk.read_only || disk.write_protected) return failed(ERROR_WRITE_PROTECT);
  disk.style = wanted->PartitionStyle;
  disk.disk_id = wanted->Gpt.DiskId;
  disk.entries.clear();
  use_whole(disk);
  return {};
}

FakeNode::Answer FakeNode::set_layout(FakeDisk& disk, std::string_view request) {
  const auto style = structure_at<DWORD>(request);
  const auto count = structure_at<DWORD>(request, sizeof(DWORD));
  if (!style || !count || *style != disk.style ||
      request.size() != kHead + *count * sizeof(PARTITION_INFORMATION_EX)) {
    return failed(ERROR_INVALID_PARAMETER);
  }
  if (disk.read_only || disk.write_protected) return failed(ERROR_WRITE_PROTECT);
  if (*style == PARTITION_STYLE_MBR && *count % 4 != 0) return failed(ERROR_INVALID_PARAMETER);
  disk.entries.clear();
  DWORD number = 0;
  for (DWORD index = 0; index < *count; ++index) {
    auto entry = *structure_at<PARTITION_INFORMATION_EX>(
        request, kHead + index * sizeof(PARTITION_INFORMATION_EX));
    const auto end = static_cast<uint64_t>(entry.StartingOffset.QuadPart) +
                     static_cast<uint64_t>(entry.PartitionLength.QuadPart);
    if (end > disk.bytes) return failed(ERROR_INVALID_PARAMETER);
    if (entry.PartitionLength.QuadPart != 0) entry.PartitionNumber = ++number;
    disk.entries.push_back(entry);
  }
  return {};
}

FakeNode::Answer FakeNode::grow_partition(FakeDisk& disk, std::string_view request) {
  const auto wanted = structure_at<DISK_GROW_PARTITION>(request);
  if (!wanted) return failed(ERROR_INVALID_PARAMETER);
  if (disk.read_only || disk.write_protected) return failed(ERROR_WRITE_PROTECT);
  for (PARTITION_INFORMATION_EX& entry : disk.entries) {
    if (entry.PartitionNumber != wanted->PartitionNumber) continue;
    const auto end = entry.StartingOffset.QuadPart + entry.PartitionLength.QuadPart +
                     wanted->BytesToGrow.QuadPart;
    if (static_cast<uint64_t>(end) > disk.usable_start + disk.usable_length) {
      return failed(ERROR_INVALID_PARAMETER);
    }
    entry.PartitionLength.QuadPart += wanted->BytesToGrow.QuadPart;
    return {};
  }
  return failed(ERROR_INVALID_PARAMETER);
}

FakeNode::Answer FakeNode::set_attributes(FakeDisk& disk, std::string_view request) {
  if (request.size() != 40) return failed(ERROR_INVALID_PARAMETER);
  const uint64_t attributes = *structure_at<uint64_t>(request, 8);
  const uint64_t mask = *structure_at<uint64_t>(request, 16);
  if ((mask & 1) != 0) disk.offline = (attributes & 1) != 0 || disk.stays_offline;
  if ((mask & 2) != 0) disk.read_only = (attributes & 2) != 0;
  return {};
}

void FakeNode::see_size(FakeDisk& disk) {
  if (disk.unseen_bytes) disk.bytes = *std::exchange(disk.unseen_bytes, std::nullopt);
  if (disk.style == PARTITION_STYLE_GPT) use_whole(disk);
}

void FakeNode::see_sizes() {
  for (auto& [number, disk] : disks_) see_size(disk);
}

FakeNode::Answer FakeNode::control_disk(uint32_t number, uint32_t code, std::string_view request) {
  const auto found = disks_.find(number);
  if (found == disks_.end()) return failed(ERROR_DEV_NOT_EXIST);
  FakeDisk& disk = found->second;
  switch (code) {
    case IOCTL_STORAGE_GET_DEVICE_NUMBER:
      return {{}, bytes_of(STORAGE_DEVICE_NUMBER{FILE_DEVICE_DISK, number, 0})};
    case kScsiGetAddress:
      return disk.scsi_address.empty() ? failed(ERROR_NOT_SUPPORTED)
                                       : Answer{{}, disk.scsi_address};
    case IOCTL_STORAGE_QUERY_PROPERTY: {
      const auto property = structure_at<DWORD>(request).value_or(0);
      const std::string& answer =
          property == StorageDeviceIdProperty ? disk.id_descriptor : disk.device_descriptor;
      return answer.empty() ? failed(ERROR_INVALID_FUNCTION) : Answer{{}, answer};
    }
    case IOCTL_DISK_GET_LENGTH_INFO:
      return {{}, bytes_of(static_cast<LONGLONG>(disk.bytes))};
    case IOCTL_DISK_IS_WRITABLE:
      return disk.write_protected ? failed(ERROR_WRITE_PROTECT) : Answer();
    case kGetDiskAttributes: {
      const uint64_t flags = (disk.offline ? 1U : 0U) | (disk.read_only ? 2U : 0U);
      return {{}, bytes_of(std::pair<uint64_t, uint64_t>(16, flags))};
    }
    case kSetDiskAttributes:
      return set_attributes(disk, request);
    case IOCTL_DISK_GET_DRIVE_LAYOUT_EX:
      return layout_of(disk);
    case IOCTL_DISK_CREATE_DISK:
      return create_disk(disk, request);
    case IOCTL_DISK_SET_DRIVE_LAYOUT_EX:
      return set_layout(disk, request);
    case IOCTL_DISK_GROW_PARTITION:
      return grow_partition(disk, request);
    case IOCTL_DISK_UPDATE_PROPERTIES:
      see_size(disk);
      return {};
    default:
      return failed(ERROR_INVALID_FUNCTION);
  }
}

}  // namespace longshore::test
