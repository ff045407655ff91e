#include "tests/demo/disk_steps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <random>
#include <string>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/demo/demo_directory.h"
#include "tests/support/byte_units.h"

namespace longshore::demo {
namespace {

constexpr uint64_t kFileBytes = 10 * test::kMebibyte;
constexpr const char* kItself = "(demonstration)";
const std::string kTarget = std::string(kDirectory) + "/kubelet/volume";
const std::string kFolder = kTarget + "/folder";
const std::string kFile = kFolder + "/file";

// Of a kind that comes out of a disk only if it was put there.
const std::string& content() {
  static const std::string bytes = [] {
    std::mt19937 random;
    std::string made(kFileBytes, '\0');
    for (char& byte : made) byte = static_cast<char>(random());
    return made;
  }();
  return bytes;
}

Error file_failure(const std::string& operation, const std::error_code& error) {
  return Error(StatusCode::kUnknown, operation, kFile).because(error);
}

Result<std::string> write_file(const std::string& bytes) {
  ::mkdir(kFolder.c_str(), 0700);
  const FileDescriptor file(::open(kFile.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return file_failure("write", file.error());
  if (const auto error = write_all(file.get(), bytes)) return file_failure("write", error);
  if (const auto error = error_unless(::fsync(file.get()) == 0)) {
    return file_failure("write", error);
  }
  return kFile;
}

Result<std::string> compare_file(const std::string& bytes) {
  const FileDescriptor file(::open(kFile.c_str(), O_RDONLY | O_CLOEXEC));
  std::string found(kFileBytes, '\0');
  if (!file) return file_failure("read", file.error());
  // From the disk, not from what the kernel has kept of it.
  const int refused = ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  if (refused != 0) return file_failure("read", {refused, std::generic_category()});
  const ssize_t size = ::read(file.get(), found.data(), found.size());
  if (const auto error = error_unless(size >= 0)) return file_failure("read", error);
  if (found != bytes) return Error(StatusCode::kDataLoss, "find what was written in", kFile);
  return std::to_string(kFileBytes) + " bytes as they were";
}

Result<std::string> grow(DemoDisk& disk) {
  try {
    disk.grow();
  } catch (const std::exception& error) {
    return Error::of_text(StatusCode::kInternal, error.what());
  }
  return std::to_string(DemoDisk::kLaterBytes) + " bytes";
}

// A filesystem that fills its disk, but for the partition table and what it keeps for itself.
bool fills(uint64_t filesystem, uint64_t disk) {
  return filesystem <= disk && filesystem >= disk - 64 * test::kMebibyte;
}

Part part_of(const std::string& version, const std::string& service, const std::string& group) {
  return {version + "." + service, socket_of(group, version), {}};
}

Part own(const std::string& what, std::function<Result<std::string>()> action) {
  return {kItself, "", {{what, "-", "", "", {}, std::move(action)}}};
}

const std::string kVolume = R"({"volume_id":"<volume>"})";
const std::string kVolumeAndTarget =
    R"({"volume_id":"<volume>","target_path":")" + kTarget + R"("})";

Part partition_part() {
  Part part = part_of("v1", "Disk", "disk");
  const std::string number = R"({"disk_number":<disk>})";
  part.steps = {{"which disks are there?", "ListDiskIDs", "{}",
                 R"({"diskIDs":{"<disk>":{"page83":"","serial_number":""}}})"},
                {"how large is it?", "GetDiskStats", number,
                 R"({"total_bytes":")" + std::to_string(DemoDisk::kBytes) + R"("})"},
                {"give it a partition", "PartitionDisk", number, "{}"}};
  return part;
}

Part format_part() {
  Part part = part_of("v1", "Volume", "volume");
  part.steps = {
      {"the partition's volume", "ListVolumesOnDisk",
       R"({"disk_number":<disk>,"partition_number":0})", R"({"volume_ids":["<volume>"]})"},
      {"nothing is on it", "IsVolumeFormatted", kVolume, R"({"formatted":false})"},
      {"make a filesystem", "FormatVolume", kVolume, "{}"},
      {"now there is one", "IsVolumeFormatted", kVolume, R"({"formatted":true})"}};
  return part;
}

Part folder_part(const std::string& what, const std::string& method, const std::string& more) {
  Part part = part_of("v1", "Filesystem", "filesystem");
  part.steps = {{what, method, R"({"path":")" + kTarget + "\"" + more + "}", "{}"}};
  return part;
}

Part mount_part() {
  Part part = part_of("v1", "Volume", "volume");
  part.steps = {{"mount it", "MountVolume", kVolumeAndTarget, "{}"}};
  return part;
}

Part use_part() {
  Part part = part_of("v1", "Volume", "volume");
  part.steps = {{"how full is it?", "GetVolumeStats", kVolume,
                 R"({"total_bytes":"<total>","used_bytes":"<used>"})",
                 [](const Values& values) {
                   return fills(values.number("total"), DemoDisk::kBytes) &&
                          values.number("used") >= kFileBytes;
                 }},
                {"what is mounted there?", "GetVolumeIDFromTargetPath",
                 R"({"target_path":")" + kTarget + R"("})", R"({"volume_id":"<volume>"})"}};
  return part;
}

Part rescan_part() {
  Part part = part_of("v1", "Disk", "disk");
  part.steps = {{"look at it again", "Rescan", "{}", "{}"},
                {"it has become larger", "GetDiskStats", R"({"disk_number":<disk>})",
                 R"({"total_bytes":")" + std::to_string(DemoDisk::kLaterBytes) + R"("})"}};
  return part;
}

Part growth_part() {
  Part part = part_of("v1", "Volume", "volume");
  part.steps = {
      {"let the volume fill it", "ResizeVolume", R"({"volume_id":"<volume>","size_bytes":"0"})",
       "{}"},
      {"it has become larger", "GetVolumeStats", kVolume,
       R"({"total_bytes":"<new total>","used_bytes":"<new used>"})", [](const Values& values) {
         return fills(values.number("new total"), DemoDisk::kLaterBytes) &&
                values.number("new used") >= kFileBytes;
       }}};
  return part;
}

Part unmount_part() {
  Part part = part_of("v1", "Volume", "volume");
  part.steps = {
      {"write what is unwritten", "WriteVolumeCache", kVolume, "{}"},
      {"unmount it", "UnmountVolume", kVolumeAndTarget, "{}"},
      {"which disk is it on?", "GetDiskNumberFromVolumeID", kVolume, R"({"disk_number":<disk>})"}};
  return part;
}

std::vector<Part> old_names() {
  Part disk = part_of("v1beta2", "Disk", "disk");
  disk.steps = {{"how large is it?", "DiskStats", R"({"diskID":"<disk>"})",
                 R"({"diskSize":")" + std::to_string(DemoDisk::kLaterBytes) + R"("})"}};
  Part volume = part_of("v1beta2", "Volume", "volume");
  const std::string mount = R"({"volume_id":"<volume>","path":")" + kTarget + R"("})";
  volume.steps = {
      {"the same volume", "ListVolumesOnDisk", R"({"disk_id":"<disk>"})",
       R"({"volume_ids":["<volume>"]})"},
      {"mount it", "MountVolume", mount, "{}"},
      {"how full is it?", "VolumeStats", kVolume,
       R"({"volumeSize":"<new total>","volumeUsedSize":"<last used>"})"},
      {"what is mounted there?", "GetVolumeIDFromMount", R"({"mount":")" + kTarget + R"("})",
       R"({"volume_id":"<volume>"})"},
      {"unmount it", "DismountVolume", mount, "{}"},
      {"which disk is it on?", "GetVolumeDiskNumber", kVolume, R"({"diskNumber":"<disk>"})"}};
  return {disk, volume};
}

Part closest_part() {
  Part part = part_of("v2alpha1", "Volume", "volume");
  part.steps = {{"mount it", "MountVolume", kVolumeAndTarget, "{}"},
                {"where does a file lie?", "GetClosestVolumeIDFromTargetPath",
                 R"({"target_path":")" + kFile + R"("})", R"({"volume_id":"<volume>"})"},
                {"unmount it", "UnmountVolume", kVolumeAndTarget, "{}"}};
  return part;
}

}  // namespace

std::vector<Part> disk_parts(DemoDisk& disk) {
  const std::string& bytes = content();  // now, as that takes time too
  std::vector<Part> parts = {
      partition_part(),
      format_part(),
      folder_part("a folder to mount it on", "Mkdir", ""),
      mount_part(),
      own("write 10 MiB on it", [&bytes] { return write_file(bytes); }),
      use_part(),
      own("make the disk larger", [&disk] { return grow(disk); }),
      rescan_part(),
      growth_part(),
      own("the file is still there", [&bytes] { return compare_file(bytes); }),
      unmount_part()};
  for (const Part& part : old_names()) parts.push_back(part);
  parts.push_back(closest_part());
  parts.push_back(folder_part("remove the folder", "Rmdir", R"(,"force":false)"));
  return parts;
}

}  // namespace longshore::demo
