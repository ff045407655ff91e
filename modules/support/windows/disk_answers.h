// What disks and volumes answer to control codes, taken apart.
//
// The structures are Windows', as documented, and come from drivers: every count, offset and size
// in them is checked against the bytes that there are. Nothing is taken of what is not whole.
//
// Threads: any; plain functions.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::support {

// The structure at a place, if it lies within the bytes.
template <typename Structure>
std::optional<Structure> structure_at(std::string_view bytes, size_t offset = 0) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Structure)) return std::nullopt;
  Structure structure;
  std::memcpy(&structure, bytes.data() + offset, sizeof(structure));
  return structure;
}

// A structure as the bytes of a request.
template <typename Structure>
std::string bytes_of(const Structure& structure) {
  std::string bytes(sizeof(structure), '\0');
  std::memcpy(bytes.data(), &structure, sizeof(structure));
  return bytes;
}

// csi-proxy's choice among the identifiers of a STORAGE_DEVICE_ID_DESCRIPTOR, letter for letter,
// since drivers compare it: the first that is the device's own and ASCII or binary, whatever its
// type; ASCII as it is, binary in lower-case hexadecimal digits. "" if there is none before the
// first that lies.
std::string page83_identifier(std::string_view descriptor);

// As it stands in a STORAGE_DEVICE_DESCRIPTOR: blanks and a closing dot are part of it. "": none.
std::string serial_number(std::string_view descriptor);

// The number of the disk that a device interface is of: STORAGE_DEVICE_NUMBER.
std::optional<uint32_t> disk_number(std::string_view answer);

// Where a volume lies: VOLUME_DISK_EXTENTS. Nothing if the answer is not whole.
struct DiskExtent {
  uint32_t disk = 0;
  uint64_t offset = 0;
  uint64_t length = 0;

  bool operator==(const DiskExtent&) const = default;
};
std::optional<std::vector<DiskExtent>> disk_extents(std::string_view answer);

// The size of GET_LENGTH_INFORMATION, of a DISK_GEOMETRY_EX.
std::optional<uint64_t> length_in(std::string_view answer);
std::optional<uint64_t> size_of_geometry(std::string_view answer);

// Whether a filesystem is marked to be checked: what FSCTL_IS_VOLUME_DIRTY answers.
bool is_dirty(std::string_view answer);

// GET_DISK_ATTRIBUTES, and the request that changes one.
struct DiskAttributes {
  bool offline = false;
  bool read_only = false;

  bool operator==(const DiskAttributes&) const = default;
};
std::optional<DiskAttributes> disk_attributes(std::string_view answer);
enum class DiskAttribute : uint64_t { kOffline = 1, kReadOnly = 2 };
std::string set_disk_attribute(DiskAttribute attribute, bool is_set);

}  // namespace longshore::support
