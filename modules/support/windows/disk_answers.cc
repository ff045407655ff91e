#include "support/windows/disk_answers.h"

#include <algorithm>

#include "support/hexadecimal.h"
#include "support/windows/disk_structures.h"

namespace longshore::support {
namespace {

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Sizes and offsets are signed numbers of the system's.
bool is_negative(uint64_t number) { return number > INT64_MAX; }

std::optional<uint64_t> size_at(std::string_view answer, size_t place) {
  const auto size = structure_at<uint64_t>(answer, place);
  if (!size || is_negative(*size)) return std::nullopt;
  return size;
}

}  // namespace

std::string page83_identifier(std::string_view descriptor) {
  const auto head = structure_at<IdDescriptorHead>(descriptor);
  if (!head) return {};
  size_t place = sizeof(IdDescriptorHead);
  for (uint32_t count = 0; count < head->count; ++count) {
    const auto identifier = structure_at<StorageIdentifier>(descriptor, place);
    if (!identifier) return {};
    const size_t start = place + sizeof(StorageIdentifier);
    if (identifier->size > descriptor.size() - start) return {};
    const std::string_view bytes = descriptor.substr(start, identifier->size);
    constexpr uint32_t kDevice = 0, kBinary = 1, kAscii = 2;
    if (identifier->association == kDevice && identifier->code_set == kBinary) {
      return hexadecimal(bytes);
    }
    if (identifier->association == kDevice && identifier->code_set == kAscii) {
      // What is no text after all cannot be a string on the wire.
      return is_text(bytes) ? std::string(bytes) : hexadecimal(bytes);
    }
    // The last one says 0; less than an identifier would have it read twice.
    if (identifier->next_offset < sizeof(StorageIdentifier)) return {};
    place += identifier->next_offset;
  }
  return {};
}

std::string serial_number(std::string_view descriptor) {
  const auto head = structure_at<DeviceDescriptorHead>(descriptor);
  if (!head) return {};
  const size_t offset = head->serial_number_offset;
  // None is 0; some drivers say so by -1.
  if (offset < sizeof(DeviceDescriptorHead) || offset >= descriptor.size()) return {};
  const std::string_view rest = descriptor.substr(offset);
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos) return {};
  std::string text(rest.substr(0, end));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

std::optional<uint32_t> disk_number(std::string_view answer) {
  const auto device = structure_at<DeviceNumber>(answer);
  constexpr uint32_t kNone = 0xffffffff;
  if (!device || device->device_type != kDiskDeviceType || device->number == kNone) {
    return std::nullopt;
  }
  return device->number;
}

std::optional<std::vector<DiskExtent>> disk_extents(std::string_view answer) {
  const auto head = structure_at<DiskExtentsHead>(answer);
  if (!head) return std::nullopt;
  const std::string_view rest = answer.substr(sizeof(DiskExtentsHead));
  if (head->count > rest.size() / sizeof(DiskExtentEntry)) return std::nullopt;
  std::vector<DiskExtent> extents;
  for (size_t index = 0; index < head->count; ++index) {
    const auto extent = structure_at<DiskExtentEntry>(rest, index * sizeof(DiskExtentEntry));
    if (is_negative(extent->offset) || is_negative(extent->length)) return std::nullopt;
    extents.push_back({extent->disk, extent->offset, extent->length});
  }
  return extents;
}

std::optional<uint64_t> length_in(std::string_view answer) { return size_at(answer, 0); }

std::optional<uint64_t> size_of_geometry(std::string_view answer) {
  return size_at(answer, kSizeInGeometry);
}

bool is_dirty(std::string_view answer) {
  constexpr uint32_t kVolumeIsDirty = 1;  // others tell of upgrades and open sessions
  return (structure_at<uint32_t>(answer).value_or(0) & kVolumeIsDirty) != 0;
}

std::optional<DiskAttributes> disk_attributes(std::string_view answer) {
  const auto got = structure_at<GetDiskAttributes>(answer);
  if (!got) return std::nullopt;
  const auto has = [&](DiskAttribute attribute) {
    return (got->attributes & static_cast<uint64_t>(attribute)) != 0;
  };
  return DiskAttributes{.offline = has(DiskAttribute::kOffline),
                        .read_only = has(DiskAttribute::kReadOnly)};
}

std::string set_disk_attribute(DiskAttribute attribute, bool is_set) {
  SetDiskAttributes request{};
  request.version = sizeof(request);
  request.persist = 1;  // as MSFT_Disk's methods: also after the node starts again
  request.mask = static_cast<uint64_t>(attribute);
  request.attributes = is_set ? request.mask : 0;
  return bytes_of(request);
}

}  // namespace longshore::support
