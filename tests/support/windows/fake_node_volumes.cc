// The volumes of the node that is made up, and what WMI does to them.
#include <algorithm>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/disk_answers.h"
#include "tests/support/windows/fake_node.h"

namespace longshore::test {

using support::bytes_of;
using support::structure_at;
using support::WmiObject;

namespace {

FakeNode::Answer refused(DWORD code) { return {windows_code(code), {}}; }

}  // namespace

FakeNode::Answer FakeNode::control_volume(const Place& place, uint32_t code,
                                          std::string_view request) {
  const PARTITION_INFORMATION_EX* entry = partition_at(place);
  if (entry == nullptr) return refused(ERROR_DEV_NOT_EXIST);
  FakeVolume& volume = volumes_[place];
  switch (code) {
    case IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS: {
      VOLUME_DISK_EXTENTS extents{};
      extents.NumberOfDiskExtents = 1;
      extents.Extents[0].DiskNumber = place.first;
      extents.Extents[0].StartingOffset = entry->StartingOffset;
      extents.Extents[0].ExtentLength = entry->PartitionLength;
      return {{}, bytes_of(extents)};
    }
    case IOCTL_DISK_GET_LENGTH_INFO:
      return {{}, bytes_of(entry->PartitionLength)};
    case FSCTL_LOCK_VOLUME:
      if (volume.users > 0 || !locked_.insert(place).second) return refused(ERROR_ACCESS_DENIED);
      return {};
    case FSCTL_IS_VOLUME_DIRTY:
      if (volume.filesystem.empty()) return refused(ERROR_UNRECOGNIZED_VOLUME);
      // As one with an open session tells it, too.
      return {{}, bytes_of(DWORD{volume.is_dirty ? 5U : 4U})};
    case FSCTL_EXTEND_VOLUME: {
      const auto sectors = structure_at<LONGLONG>(request);
      if (!sectors || *sectors * 512 > entry->PartitionLength.QuadPart) {
        return refused(ERROR_INVALID_PARAMETER);
      }
      volume.filesystem_bytes = static_cast<uint64_t>(*sectors) * 512;
      return {};
    }
    case IOCTL_DISK_GET_DRIVE_GEOMETRY: {
      DISK_GEOMETRY geometry{};
      geometry.BytesPerSector = 512;
      return {{}, bytes_of(geometry)};
    }
    default:
      return refused(ERROR_INVALID_FUNCTION);
  }
}

support::VolumeFunctions::Names FakeNode::volumes() {
  const std::lock_guard lock(mutex_);
  if (volumes_instead) return *volumes_instead;
  Names found;
  for (const Place& place : places()) found.names.push_back(name_of(place));
  found.names.insert(found.names.end(), other_volumes.begin(), other_volumes.end());
  return found;
}

support::VolumeFunctions::Names FakeNode::mount_paths(const std::wstring& volume) {
  const std::lock_guard lock(mutex_);
  const auto place = place_of(volume);
  if (!place) return {windows_code(ERROR_FILE_NOT_FOUND), {}};
  Names found{{}, volumes_[*place].paths};
  if (directories_of) {
    const std::vector<std::wstring> more = directories_of(name_of(*place));
    found.names.insert(found.names.end(), more.begin(), more.end());
  }
  return found;
}

support::VolumeFunctions::Name FakeNode::volume_at(const std::wstring& mount_path) {
  const std::lock_guard lock(mutex_);
  for (const Place& place : places()) {
    const auto& paths = volumes_[place].paths;
    const bool is_here = std::ranges::any_of(paths, [&](const std::wstring& path) {
      return CompareStringOrdinal(path.c_str(), -1, mount_path.c_str(), -1, TRUE) == CSTR_EQUAL;
    });
    if (is_here) return {{}, name_of(place)};
  }
  return {windows_code(ERROR_NOT_A_REPARSE_POINT), {}};
}

support::VolumeFunctions::Filesystem FakeNode::filesystem(const std::wstring& volume) {
  const std::lock_guard lock(mutex_);
  const auto place = place_of(volume);
  if (!place) return {windows_code(ERROR_PATH_NOT_FOUND), {}, 0};
  const FakeVolume& there = volumes_[*place];
  if (there.filesystem.empty()) return {windows_code(ERROR_UNRECOGNIZED_VOLUME), {}, 0};
  return {{}, there.filesystem, there.serial_number};
}

support::VolumeFunctions::Space FakeNode::space(const std::wstring& volume) {
  const std::lock_guard lock(mutex_);
  const auto place = place_of(volume);
  if (!place) return {windows_code(ERROR_PATH_NOT_FOUND), 0, 0};
  const FakeVolume& there = volumes_[*place];
  if (there.filesystem.empty()) return {windows_code(ERROR_UNRECOGNIZED_VOLUME), 0, 0};
  return {{}, there.filesystem_bytes, there.filesystem_bytes - there.used};
}

support::VolumeFunctions::Names FakeNode::needed_volumes() {
  if (needed_instead) return *needed_instead;
  return {{}, {L"\\\\.\\C:"}};
}

Result<std::vector<WmiObject>> FakeNode::query(const std::string&, const std::string&,
                                               const Deadline&) {
  const std::lock_guard lock(mutex_);
  std::vector<WmiObject> found;
  for (const Place& place : places()) {
    WmiObject object;
    object["UniqueId"] = narrow(name_of(place));
    object["__PATH"] = "MSFT_Volume=" + narrow(name_of(place));
    found.push_back(std::move(object));
  }
  return found;
}

Result<WmiObject> FakeNode::call(const std::string&, const std::string& object,
                                 const std::string& method, const WmiObject& arguments,
                                 const Deadline&) {
  const std::lock_guard lock(mutex_);
  methods_called.push_back(object + "." + method);
  if (method_instead) return *method_instead;
  if (method == "UpdateHostStorageCache") see_sizes();
  if (method == "Format") {
    const auto place = place_of(wide(object.substr(object.find('=') + 1)));
    if (!place) return WmiObject{{"ReturnValue", int64_t{6}}};
    FakeVolume& volume = volumes_[*place];
    volume.filesystem = support::text_of(arguments, "FileSystem");
    volume.filesystem_bytes = static_cast<uint64_t>(partition_at(*place)->PartitionLength.QuadPart);
    volume.used = uint64_t{4} << 20;
    ++volume.serial_number;
  }
  return WmiObject{{"ReturnValue", int64_t{0}}};
}

}  // namespace longshore::test
