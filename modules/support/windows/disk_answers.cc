#include "support/windows/disk_answers.h"

#include <windows.h>
// After windows.h.
#include <winioctl.h>

#include <algorithm>

#include "support/hexadecimal.h"

namespace longshore::support {
namespace {

// STORAGE_IDENTIFIER, which the headers of mingw have only for drivers.
struct StorageIdentifier {
  uint32_t code_set;
  uint32_t type;
  uint16_t size;
  uint16_t next_offset;
  uint32_t association;
};
static_assert(sizeof(StorageIdentifier) == 16);

// GET_DISK_ATTRIBUTES and SET_DISK_ATTRIBUTES, which they do not have.
struct GetDiskAttributes {
  uint32_t version;
  uint32_t reserved;
  uint64_t attributes;
};
static_assert(sizeof(GetDiskAttributes) == 16);
struct SetDiskAttributes {
  uint32_t version;
  uint8_t persist;
  uint8_t reserved[3];
  uint64_t attributes;
  uint64_t mask;
  uint32_t reserved_too[4];
};
static_assert(sizeof(SetDiskAttributes) == 40);

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// A size or offset that the system gives as a signed number.
std::optional<uint64_t> positive(int64_t number) {
  if (number < 0) return std::nullopt;
  return static_cast<uint64_t>(number);
}

}  // namespace

std::string page83_identifier(std::string_view descriptor) {
  constexpr size_t kFirst = offsetof(STORAGE_DEVICE_ID_DESCRIPTOR, Identifiers);
  const auto head = structure_at<STORAGE_DEVICE_ID_DESCRIPTOR>(descriptor);
  if (!head) return {};
  size_t place = kFirst;
  for (uint32_t count = 0; count < head->NumberOfIdentifiers; ++count) {
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
  constexpr size_t kWhole = offsetof(STORAGE_DEVICE_DESCRIPTOR, RawDeviceProperties);
  if (descriptor.size() < kWhole) return {};
  DWORD offset = 0;
  std::memcpy(&offset, descriptor.data() + offsetof(STORAGE_DEVICE_DESCRIPTOR, SerialNumberOffset),
              sizeof(offset));
  // None is 0; some drivers say so by -1.
  if (offset < kWhole || offset >= descriptor.size()) return {};
  const std::string_view rest = descriptor.substr(offset);
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos) return {};
  std::string text(rest.substr(0, end));
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

std::optional<uint32_t> disk_number(std::string_view answer) {
  const auto number = structure_at<STORAGE_DEVICE_NUMBER>(answer);
  constexpr DWORD kNone = 0xffffffff;
  if (!number || number->DeviceType != FILE_DEVICE_DISK || number->DeviceNumber == kNone) {
    return std::nullopt;
  }
  return number->DeviceNumber;
}

std::optional<std::vector<DiskExtent>> disk_extents(std::string_view answer) {
  constexpr size_t kFirst = offsetof(VOLUME_DISK_EXTENTS, Extents);
  const auto count = structure_at<DWORD>(answer);
  if (!count || answer.size() < kFirst || *count > (answer.size() - kFirst) / sizeof(DISK_EXTENT)) {
    return std::nullopt;
  }
  std::vector<DiskExtent> extents;
  for (DWORD index = 0; index < *count; ++index) {
    const auto extent = structure_at<DISK_EXTENT>(answer, kFirst + index * sizeof(DISK_EXTENT));
    const auto offset = positive(extent->StartingOffset.QuadPart);
    const auto length = positive(extent->ExtentLength.QuadPart);
    if (!offset || !length) return std::nullopt;
    extents.push_back({extent->DiskNumber, *offset, *length});
  }
  return extents;
}

std::optional<uint64_t> length_in(std::string_view answer) {
  const auto length = structure_at<GET_LENGTH_INFORMATION>(answer);
  return length ? positive(length->Length.QuadPart) : std::nullopt;
}

std::optional<uint64_t> size_of_geometry(std::string_view answer) {
  const auto size = structure_at<LARGE_INTEGER>(answer, offsetof(DISK_GEOMETRY_EX, DiskSize));
  return size ? positive(size->QuadPart) : std::nullopt;
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
