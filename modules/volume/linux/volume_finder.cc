#include "volume/linux/volume_finder.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "support/linux/block/offline_record.h"
#include "support/linux/block/opened_disk.h"
#include "support/linux/block/sysfs.h"
#include "volume/linux/mounted_device.h"
#include "volume/linux/volume_content.h"

namespace longshore::volume {

using block::Content;
using block::ContentKind;
using block::Disk;
using block::KernelPartition;
using block::TablePartition;
using support::Mount;

namespace {

std::string id_of(const Disk& disk, const TablePartition& partition) {
  if (!partition.uuid.empty()) return "PARTUUID=" + partition.uuid;
  return "DISKSEQ=" + std::to_string(disk.number) + "-" + std::to_string(partition.start);
}

std::string qualified(const Volume& volume) {
  return volume.id + "@" + std::to_string(volume.disk.number);
}

void append_name(std::string& names, const std::string& name) {
  names.append(names.empty() ? "" : ", ").append(name);
}

// "No such volume" is only said by who has read every disk: callers take it for "detached".
Error none_found(std::string_view id, const std::vector<Disk>& unreadable,
                 std::string_view operation) {
  if (unreadable.empty()) {
    return Error(StatusCode::kNotFound, std::string(operation), std::string(id))
        .because("there is no volume of this id")
        .advise("ListVolumesOnDisk tells the ids of a disk's volumes");
  }
  std::string names;
  for (const Disk& disk : unreadable) append_name(names, disk.node);
  return Error(StatusCode::kUnavailable, std::string(operation), std::string(id))
      .because("none of the disks that can be read has it; offline, not readable or silent are: " +
               names)
      .advise(kReadUnreadableAgain);
}

}  // namespace

std::vector<VolumeFinder::Candidate> VolumeFinder::candidates_on(const Disk& disk,
                                                                 const DiskTable& table) {
  std::vector<Candidate> found;
  const Content& content = table.content;
  if (table.partitions.empty() && content.kind == ContentKind::kFilesystem &&
      !content.uuid.empty()) {
    found.push_back(
        {{.id = "UUID=" + content.uuid, .disk = disk, .partition = {}}, content.device_uuid});
  }
  for (const TablePartition& partition : table.partitions) {
    if (partition.is_reserved || partition.is_private) continue;
    found.push_back({{.id = id_of(disk, partition), .disk = disk, .partition = partition}, {}});
  }
  return found;
}

void VolumeFinder::add_candidates(const Disk& disk, const DiskTable& table,
                                  std::vector<Candidate>& found) const {
  std::vector<Candidate> all = candidates_on(disk, table);
  std::vector<KernelPartition> known;
  if (!table.partitions.empty()) known = devices_.partitions(disk);
  std::erase_if(all, [&](const Candidate& candidate) {
    return !holder_of(candidate.volume, known).holder.empty();
  });
  std::ranges::move(all, std::back_inserter(found));
}

block::HeldDevice VolumeFinder::holder_of(const Volume& volume,
                                          const std::vector<KernelPartition>& known) const {
  const Disk& disk = volume.disk;
  if (!disk.holders.empty()) return {disk.name, disk.holders.front()};
  if (!volume.partition) return {};
  const auto node = std::ranges::find(known, volume.partition->number, &KernelPartition::number);
  if (node == known.end()) return {};
  return {node->name, devices_.holder_of(disk, node->name)};
}

// Where copies of a btrfs' disks are there too nothing says which belong together, so that all are
// left apart, as copies. Of what is offline only the copies are.
void VolumeFinder::set_btrfs_apart(std::vector<Candidate>& candidates) {
  std::set<std::string> with_copies;
  std::set<std::pair<std::string, std::string>> devices;
  for (const Candidate& candidate : candidates) {
    if (candidate.is_offline()) continue;
    const bool is_new = devices.emplace(candidate.volume.id, candidate.device_uuid).second;
    if (!is_new) with_copies.insert(candidate.volume.id);
  }
  for (Candidate& candidate : candidates) {
    const std::string& id = candidate.volume.id;
    const bool is_copy =
        candidate.is_offline() && !devices.emplace(id, candidate.device_uuid).second;
    candidate.is_apart = is_copy || candidate.device_uuid.empty() || with_copies.contains(id);
  }
}

// Of one btrfs on several disks the first is the volume.
void VolumeFinder::join_btrfs(std::vector<Candidate>& candidates) {
  set_btrfs_apart(candidates);
  std::vector<Candidate> joined;
  for (Candidate& candidate : candidates) {
    const auto first = std::ranges::find_if(joined, [&](const Candidate& other) {
      return !candidate.is_apart && !other.is_apart && other.volume.id == candidate.volume.id;
    });
    if (first == joined.end()) {
      joined.push_back(std::move(candidate));
      continue;
    }
    first->volume.other_nodes.push_back(candidate.volume.disk.node);
    if (candidate.is_offline()) first->volume.offline_disk = candidate.volume.offline_disk;
  }
  candidates = std::move(joined);
}

// What is offline is not in the way of what is not.
void VolumeFinder::tell_copies(std::vector<Candidate>& candidates) {
  std::map<std::string, int> all, online;
  for (const Candidate& candidate : candidates) {
    ++all[candidate.volume.id];
    if (!candidate.is_offline()) ++online[candidate.volume.id];
  }
  for (Candidate& candidate : candidates) {
    const auto& count = candidate.is_offline() ? all : online;
    candidate.volume.is_copy = count.at(candidate.volume.id) > 1;
  }
}

Result<VolumeFinder::Candidates> VolumeFinder::candidates() const {
  const Result<std::vector<Disk>> disks = devices_.disks();
  if (!disks) return disks.error();
  const auto tables = tables_.read(*disks);
  Candidates all;
  for (size_t place = 0; place < disks->size(); ++place) {
    const Disk& disk = (*disks)[place];
    const size_t first = all.found.size();
    if (tables[place]) {
      add_candidates(disk, *tables[place], all.found);
    } else {
      all.unreadable.push_back(disk);
    }
    if (!block::is_taken_offline(disk)) continue;
    all.offline.push_back(disk.number);
    for (size_t own = first; own < all.found.size(); ++own) {
      all.found[own].volume.offline_disk = disk.number;
    }
  }
  join_btrfs(all.found);
  tell_copies(all.found);
  return all;
}

std::vector<Volume> VolumeFinder::told(std::vector<Candidate> found) {
  std::vector<Volume> volumes;
  for (Candidate& candidate : found) {
    Volume& volume = candidate.volume;
    if (volume.is_copy) volume.id = qualified(volume);
    volumes.push_back(std::move(volume));
  }
  return volumes;
}

Result<std::vector<Volume>> VolumeFinder::volumes() const {
  Result<Candidates> all = candidates();
  if (!all) return std::move(all).error();
  return told(std::move(all->found));
}

Result<VolumeFinder::Candidates> VolumeFinder::candidates_named(std::string_view id) const {
  Result<Candidates> all = candidates();
  if (all) {
    std::erase_if(all->found, [&](const Candidate& candidate) {
      return id != candidate.volume.id && id != qualified(candidate.volume);
    });
  }
  return all;
}

Result<Volume> VolumeFinder::resolve(std::string_view id, std::string_view operation) const {
  Result<Volume> volume = resolve_unserved(id, operation);
  if (!volume) return volume;
  if (auto served = check_served(*volume, operation); !served) return std::move(served).error();
  return volume;
}

Result<void> VolumeFinder::check_served(const Volume& volume, std::string_view operation) {
  if (!volume.offline_disk) return {};
  return block::offline_disk_refused(*volume.offline_disk, operation, volume.id);
}

Result<Volume> VolumeFinder::resolve_unserved(std::string_view id,
                                              std::string_view operation) const {
  Result<Candidates> named = candidates_named(id);
  if (!named) return std::move(named).error();
  return remembered(id, only_one(std::move(*named), id, operation));
}

Result<Volume> VolumeFinder::resolve_mounted(std::string_view id,
                                             std::string_view operation) const {
  Result<Candidates> named = candidates_named(id);
  if (!named) return std::move(named).error();
  std::vector<Candidate> mounted;
  for (const Candidate& candidate : named->found) {
    const auto mounts = mounts_of(candidate.volume);
    if (!mounts) return mounts.error();
    if (!mounts->empty()) mounted.push_back(candidate);
  }
  if (mounted.size() == 1) named->found = std::move(mounted);
  return remembered(id, only_one(std::move(*named), id, operation));
}

Result<Volume> VolumeFinder::remembered(std::string_view id, Result<Volume> volume) const {
  if (volume) known_.remember(id, volume->disk);
  return volume;
}

std::optional<Disk> VolumeFinder::likely_disk_of(std::string_view id) const {
  if (auto known = known_.disk_of(id); known && devices_.is_there(*known)) return known;
  Result<Volume> volume = resolve_mounted(id, "find the disk of");
  if (!volume) return std::nullopt;
  return std::move(volume->disk);
}

Result<Volume> VolumeFinder::only_one(Candidates named, std::string_view id,
                                      std::string_view operation) const {
  std::vector<Candidate>& found = named.found;
  if (!std::ranges::all_of(found, &Candidate::is_offline)) {
    std::erase_if(found, std::mem_fn(&Candidate::is_offline));
  }
  if (found.size() == 1) return std::move(told(std::move(found)).front());
  if (found.empty()) {
    if (auto refusal = refusal_of(id, operation)) return *std::move(refusal);
    return none_found(id, named.unreadable, operation);
  }
  std::string names;
  for (const Candidate& candidate : found) append_name(names, qualified(candidate.volume));
  return Error(StatusCode::kFailedPrecondition, std::string(operation), std::string(id))
      .because("several volumes carry this id, as copies of a disk do: " + names)
      .advise("use one of these ids");
}

std::optional<Error> VolumeFinder::refusal_of(std::string_view id,
                                              std::string_view operation) const {
  const Result<std::vector<Disk>> disks = devices_.disks();
  if (!disks) return std::nullopt;
  const auto is_named = [&](const Volume& volume) {
    return id == volume.id || id == qualified(volume);
  };
  const auto tables = tables_.read_held_too(*disks);
  for (size_t place = 0; place < disks->size(); ++place) {
    const Disk& disk = (*disks)[place];
    if (!tables[place]) {
      // What is held may not be readable, as a path of multipath's that is not used.
      const auto known = known_.disk_of(id);
      if (known && known->number == disk.number && !disk.holders.empty()) {
        return block::held_refused(devices_, {disk.name, disk.holders.front()}, operation,
                                   std::string(id));
      }
      continue;
    }
    const std::vector<KernelPartition> known = devices_.partitions(disk);
    for (const Candidate& candidate : candidates_on(disk, *tables[place])) {
      const auto held = holder_of(candidate.volume, known);
      if (held.holder.empty() || !is_named(candidate.volume)) continue;
      return block::held_refused(devices_, held, operation, std::string(id));
    }
    const Content& content = tables[place]->content;
    if (content.kind != ContentKind::kAmbiguous) continue;
    for (const block::Signature& signature : content.signatures) {
      if (!is_named({.id = "UUID=" + signature.uuid, .disk = disk, .partition = {}})) continue;
      return Error(StatusCode::kFailedPrecondition, std::string(operation), std::string(id))
          .because(disk.node + " holds " + block::describe(content))
          .advise("nothing that is there is touched; what is mounted by hand is known by its id");
    }
  }
  return std::nullopt;
}

std::string VolumeFinder::plain_id(const Volume& volume) {
  return volume.is_copy ? volume.id.substr(0, volume.id.rfind('@')) : volume.id;
}

std::string VolumeFinder::id_and_disk(const Volume& volume) {
  return plain_id(volume) + "@" + std::to_string(volume.disk.number);
}

dev_t VolumeFinder::device_of(const Volume& volume) const {
  if (!volume.partition) return volume.disk.device;
  for (const KernelPartition& known : devices_.partitions(volume.disk)) {
    // A partition that was made anew in the table may not be what the kernel still has mounted.
    if (known.number == volume.partition->number && known.start == volume.partition->start) {
      return known.device;
    }
  }
  return 0;
}

bool VolumeFinder::is_mount_of(const Mount& mount, const Volume& volume) const {
  const dev_t device = device_of(volume);
  if (device == 0) return false;
  if (block_device_of(mount) == device) return true;
  const auto& others = volume.other_nodes;
  return mount.type == "btrfs" && std::ranges::find(others, mount.source) != others.end();
}

bool VolumeFinder::is_mount_of_lost_disk(const Mount& mount) const {
  const dev_t device = block_device_of(mount);
  if (major(device) == 0) {
    return mount.type == "btrfs" &&
           devices_.serves(mount.source.substr(mount.source.rfind('/') + 1));
  }
  const std::string text = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  if (block::link_name(devices_.sysfs() + "/dev/block/" + text).empty()) return true;
  const std::optional<Disk> disk = devices_.disk_of(device);
  return disk &&
         (disk->sectors == 0 || !devices_.is_reachable(*disk) || !tells_of(*disk, device, mount));
}

bool VolumeFinder::tells_of(const Disk& disk, dev_t device, const Mount& mount) const {
  if (device == disk.device) {
    const auto content = tables_.read_whole(disk);
    return content && content->kind == ContentKind::kFilesystem &&
           !is_another(mount, "UUID=" + content->uuid);
  }
  const auto table = tables_.read_one(disk);
  if (!table) return false;
  const std::vector<KernelPartition> known = devices_.partitions(disk);
  const auto own = std::ranges::find(known, device, &KernelPartition::device);
  return own != known.end() &&
         std::ranges::any_of(table->partitions, [&](const TablePartition& partition) {
           return partition.number == own->number && partition.start == own->start;
         });
}

Result<std::vector<Mount>> VolumeFinder::mounts_of_lost_disks() const {
  Result<std::vector<Mount>> mounts = support::read_mounts();
  if (mounts) {
    std::erase_if(*mounts, [&](const Mount& mount) {
      const std::string name = mount.source.substr(mount.source.rfind('/') + 1);
      return !devices_.serves(name) || !is_mount_of_lost_disk(mount);
    });
  }
  return mounts;
}

std::string VolumeFinder::lost_id(const Mount& mount) {
  return "LOST=" + std::to_string(major(mount.device)) + ":" + std::to_string(minor(mount.device));
}

Result<std::vector<Mount>> VolumeFinder::mounts_of(const Volume& volume) const {
  Result<std::vector<Mount>> mounts = support::read_mounts();
  if (mounts) {
    std::erase_if(*mounts, [&](const Mount& mount) { return !is_mount_of(mount, volume); });
    if (!mounts->empty()) remember_mounted(volume);
  }
  return mounts;
}

void VolumeFinder::remember_mounted(const Volume& volume) const {
  if (const dev_t device = device_of(volume); device != 0) {
    mounted_.remember(device, id_and_disk(volume));
  }
}

Result<std::optional<MountedVolume>> VolumeFinder::volume_of(const Mount& mount) const {
  const Result<std::vector<Volume>> all = volumes();
  if (!all) return all.error();
  const auto found =
      std::ranges::find_if(*all, [&](const Volume& volume) { return is_mount_of(mount, volume); });
  // What another wrote over a filesystem is not what is mounted.
  if (found != all->end() && (found->partition || !is_another(mount, plain_id(*found)))) {
    remember_mounted(*found);
    return std::optional(MountedVolume{.id = found->id, .id_and_disk = id_and_disk(*found)});
  }
  if (!is_mount_of_lost_disk(mount)) return std::optional<MountedVolume>();
  return std::optional(MountedVolume{.id = lost_id(mount), .id_and_disk = {}, .is_lost = true});
}

// The kernel knows the filesystem on a whole disk by its uuid, if it is of a kind that it tells of.
// All else is known as long as this module remembers it. (The kernel tells the PARTUUID of a
// partition since Linux 6.10 alone, and not of one that BLKPG told it of, as PartitionDisk does.)
//
// Where neither knows it, no volume's id is taken: to take any would let who mistook an id take
// away the mount of another, perhaps of a disk that is only busy for the moment. Nothing stays
// mounted for ever by that: lost_id() is taken, which GetVolumeIDFromTargetPath answers, and
// drivers and Rmdir ask for that each time before they unmount.
std::string VolumeFinder::lost_volume_of(const Mount& mount) const {
  const dev_t device = block_device_of(mount);
  const std::optional<Disk> disk = devices_.disk_of(device);
  if (!disk) return mounted_.id_of(device);
  const std::string end = "@" + std::to_string(disk->number);
  const std::string known = disk->device == device ? kernel_id(mount) : "";
  if (!known.empty()) return known + end;
  // The device may have been another disk's when that was mounted.
  std::string remembered = mounted_.id_of(device);
  return remembered.ends_with(end) ? remembered : "";
}

}  // namespace longshore::volume
