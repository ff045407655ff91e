#include "volume/linux/volume_index.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "support/linux/block/opened_disk.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using block::Disk;
using block::KernelPartition;
using block::TablePartition;
using support::FileDescriptor;
using support::Mount;

namespace {

constexpr const char* kList = "list the volumes of";

std::string id_of(const Disk& disk, const TablePartition& partition) {
  if (!partition.uuid.empty()) return "PARTUUID=" + partition.uuid;
  return "DISKSEQ=" + std::to_string(disk.number) + "-" + std::to_string(partition.start);
}

std::string qualified(const Volume& volume) {
  return volume.id + "@" + std::to_string(volume.disk.number);
}

dev_t device_behind(const std::string& node) {
  struct stat status {};
  return ::stat(node.c_str(), &status) == 0 && S_ISBLK(status.st_mode) ? status.st_rdev : 0;
}

}  // namespace

void VolumeIndex::add_candidates(const Disk& disk, std::vector<Candidate>& found) const {
  // One that hangs would keep every call waiting.
  if (!disk.holders.empty() || !devices_.is_online(disk)) return;
  const Result<FileDescriptor> opened = block::open_disk(disk, O_RDONLY, kList);
  if (!opened) return;
  const auto partitions = block::read_partitions(*opened, disk.node);
  if (!partitions) return;
  if (partitions->empty()) {
    const Result<Content> content = block::read_content(*opened, whole(disk), disk.node);
    if (!content || content->kind != ContentKind::kFilesystem || content->uuid.empty()) return;
    found.push_back(
        {{.id = "UUID=" + content->uuid, .disk = disk, .partition = {}}, content->device_uuid});
    return;
  }
  const std::vector<KernelPartition> known = devices_.partitions(disk);
  for (const TablePartition& partition : *partitions) {
    if (partition.is_reserved || partition.is_container) continue;
    const auto node = std::ranges::find(known, partition.number, &KernelPartition::number);
    if (node != known.end() && !devices_.holder_of(disk, node->name).empty()) continue;
    found.push_back({{.id = id_of(disk, partition), .disk = disk, .partition = partition}, {}});
  }
}

// Of one btrfs on several disks the first is the volume. Where copies of its disks are there too
// nothing says which belong together, so that all are left apart, as copies.
void VolumeIndex::join_btrfs(std::vector<Candidate>& candidates) {
  std::set<std::string> with_copies;
  std::set<std::pair<std::string, std::string>> devices;
  for (const Candidate& candidate : candidates) {
    const bool is_new = devices.emplace(candidate.volume.id, candidate.device_uuid).second;
    if (!is_new) with_copies.insert(candidate.volume.id);
  }
  std::vector<Candidate> joined;
  for (Candidate& candidate : candidates) {
    const auto first = std::ranges::find_if(joined, [&](const Candidate& other) {
      return !candidate.device_uuid.empty() && other.volume.id == candidate.volume.id &&
             !with_copies.contains(candidate.volume.id);
    });
    if (first == joined.end()) {
      joined.push_back(std::move(candidate));
    } else {
      first->volume.other_nodes.push_back(candidate.volume.disk.node);
    }
  }
  candidates = std::move(joined);
}

Result<std::vector<VolumeIndex::Candidate>> VolumeIndex::candidates() const {
  const Result<std::vector<Disk>> disks = devices_.disks();
  if (!disks) return disks.error();
  std::vector<Candidate> found;
  for (const Disk& disk : *disks) add_candidates(disk, found);

  join_btrfs(found);
  std::map<std::string, int> count;
  for (const Candidate& candidate : found) ++count[candidate.volume.id];
  for (Candidate& candidate : found) candidate.volume.is_copy = count[candidate.volume.id] > 1;
  return found;
}

Result<std::vector<Volume>> VolumeIndex::volumes() const {
  Result<std::vector<Candidate>> found = candidates();
  if (!found) return std::move(found).error();
  std::vector<Volume> volumes;
  for (Candidate& candidate : *found) {
    Volume& volume = candidate.volume;
    if (volume.is_copy) volume.id = qualified(volume);
    volumes.push_back(std::move(volume));
  }
  return volumes;
}

Result<Volume> VolumeIndex::resolve(std::string_view id, std::string_view operation) const {
  Result<std::vector<Candidate>> found = candidates();
  if (!found) return std::move(found).error();
  std::erase_if(*found, [&](const Candidate& candidate) {
    return id != candidate.volume.id && id != qualified(candidate.volume);
  });
  if (found->size() > 1) {
    std::vector<Candidate> mounted;
    for (const Candidate& candidate : *found) {
      const auto mounts = mounts_of(candidate.volume);
      if (!mounts) return mounts.error();
      if (!mounts->empty()) mounted.push_back(candidate);
    }
    if (mounted.size() == 1) found = std::move(mounted);
  }
  if (found->empty()) {
    return Error(StatusCode::kNotFound, std::string(operation), std::string(id))
        .because("there is no volume of this id")
        .advise("ListVolumesOnDisk tells the ids of a disk's volumes");
  }
  if (found->size() > 1) {
    std::string names;
    for (const Candidate& candidate : *found) {
      names.append(names.empty() ? "" : ", ").append(qualified(candidate.volume));
    }
    return Error(StatusCode::kFailedPrecondition, std::string(operation), std::string(id))
        .because("several volumes carry this id, as copies of a disk do: " + names)
        .advise("use one of these ids");
  }
  Volume volume = std::move(found->front().volume);
  if (volume.is_copy) volume.id = qualified(volume);
  return volume;
}

bool VolumeIndex::is_named(const Volume& volume, std::string_view id) {
  const std::string at = "@" + std::to_string(volume.disk.number);
  const std::string base =
      volume.is_copy ? volume.id.substr(0, volume.id.size() - at.size()) : volume.id;
  return id == base || id == base + at;
}

dev_t VolumeIndex::device_of(const Volume& volume) const {
  if (!volume.partition) return volume.disk.device;
  for (const KernelPartition& known : devices_.partitions(volume.disk)) {
    // A partition that was made anew in the table may not be what the kernel still has mounted.
    if (known.number == volume.partition->number && known.start == volume.partition->start) {
      return known.device;
    }
  }
  return 0;
}

bool VolumeIndex::is_mount_of(const Mount& mount, const Volume& volume) const {
  const dev_t device = device_of(volume);
  if (device == 0) return false;
  if (mount.device == device) return true;
  // btrfs has a device number of its own; its source is one of its disks, whichever was mounted.
  const auto& others = volume.other_nodes;
  return mount.type == "btrfs" && (device_behind(mount.source) == device ||
                                   std::ranges::find(others, mount.source) != others.end());
}

Result<std::vector<Mount>> VolumeIndex::mounts_of(const Volume& volume) const {
  Result<std::vector<Mount>> mounts = support::read_mounts();
  if (mounts) {
    std::erase_if(*mounts, [&](const Mount& mount) { return !is_mount_of(mount, volume); });
  }
  return mounts;
}

Result<std::optional<Volume>> VolumeIndex::volume_of(const Mount& mount) const {
  Result<std::vector<Volume>> all = volumes();
  if (!all) return std::move(all).error();
  for (Volume& volume : *all) {
    if (is_mount_of(mount, volume)) return std::optional(std::move(volume));
  }
  return std::optional<Volume>();
}

}  // namespace longshore::volume
