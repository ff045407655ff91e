#include "tests/unit/volume/volume_backend_fake.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "volume/unmounted_path.h"

namespace longshore::volume {
using support::PosixPath;

namespace {

constexpr const char* kFormat = "format the volume";
constexpr const char* kMount = "mount a volume on";
constexpr const char* kUnmount = "unmount";
constexpr const char* kResize = "resize the volume";
constexpr int kMaxLinks = 40;

Error refusal(const char* operation, const std::string& object, std::string cause) {
  return Error(StatusCode::kFailedPrecondition, operation, object).because(std::move(cause));
}

// Whether a caller who says `id` means the volume whose unique id this is.
bool means(const std::string& id, const std::string& unique) {
  return unique == id || unique.starts_with(id + "@");
}

// The first of what lies below a path, or the end.
template <typename Map>
auto first_below(Map& map, const std::string& path) {
  const auto found = map.lower_bound(path + "/");
  return found != map.end() && found->first.starts_with(path + "/") ? found : map.end();
}

}  // namespace

VolumeBackendFake::VolumeBackendFake(support::AllowedRoots roots) : roots_(std::move(roots)) {
  for (const PosixPath& root : roots_.roots()) put_directory(root.text());
}

void VolumeBackendFake::put_disk(uint32_t number, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  disks_[number] = bytes;
}

void VolumeBackendFake::unplug(uint32_t number) {
  const std::lock_guard lock(mutex_);
  disks_.erase(number);
  std::erase_if(volumes_, [&](const auto& entry) { return entry.second.disk_number == number; });
}

void VolumeBackendFake::put_volume(const std::string& id, const FakeVolume& volume) {
  const std::lock_guard lock(mutex_);
  volumes_[id] = volume;
}

void VolumeBackendFake::put(const std::string& path, EntryKind kind, const std::string& link_text) {
  const std::lock_guard lock(mutex_);
  entries_[path] = {kind, link_text};
}

void VolumeBackendFake::put_foreign_mount(const std::string& path) {
  const std::lock_guard lock(mutex_);
  mounts_[path] = {};
}

void VolumeBackendFake::set_busy(const std::string& path, bool busy) {
  const std::lock_guard lock(mutex_);
  mounts_.at(path).busy = busy;
}

bool VolumeBackendFake::has_volume(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return volumes_.contains(id);
}

Result<void> VolumeBackendFake::set_online(uint32_t disk_number, bool online) {
  const std::lock_guard lock(mutex_);
  if (online) {
    offline_.erase(disk_number);
    return {};
  }
  for (const auto& [id, volume] : volumes_) {
    if (volume.disk_number == disk_number && is_mounted(id)) {
      return refusal("take offline", std::to_string(disk_number), "it is in use by a mount");
    }
  }
  offline_.insert(disk_number);
  return {};
}

void VolumeBackendFake::make_read_only(uint32_t disk_number) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, volume] : volumes_) {
    if (volume.disk_number == disk_number) volume.read_only = true;
  }
}

Result<void> VolumeBackendFake::check_online(uint32_t disk_number, const std::string& id,
                                             const char* operation) const {
  if (!offline_.contains(disk_number)) return {};
  return refusal(operation, id, "disk " + std::to_string(disk_number) + " is offline");
}

Result<VolumeBackendFake::Volumes::value_type*> VolumeBackendFake::find(const std::string& id,
                                                                        const char* operation,
                                                                        bool served) {
  std::vector<Volumes::value_type*> meant;
  for (auto& volume : volumes_) {
    if (means(id, volume.first)) meant.push_back(&volume);
  }
  const auto is_offline = [&](const Volumes::value_type* volume) {
    return offline_.contains(volume->second.disk_number);
  };
  if (!std::ranges::all_of(meant, is_offline)) std::erase_if(meant, is_offline);
  if (meant.size() == 1) {
    if (!served) return meant.front();
    auto online = check_online(meant.front()->second.disk_number, id, operation);
    if (!online) return std::move(online).error();
    return meant.front();
  }
  std::string named;
  for (const auto* volume : meant) named.append(named.empty() ? "" : ", ").append(volume->first);
  if (!meant.empty()) return refusal(operation, id, "several volumes have this id: " + named);
  return Error(StatusCode::kNotFound, operation, id).because("there is no such volume");
}

// Mounted from a disk that is gone.
bool VolumeBackendFake::is_lost(const Mount& mount) const {
  return mount.id && !volumes_.contains(*mount.id);
}

bool VolumeBackendFake::is_mounted(const std::string& id) const {
  return std::any_of(mounts_.begin(), mounts_.end(),
                     [&](const auto& mount) { return mount.second.id == id; });
}

// Of the mounts that the path lies within the lowest, or null.
const VolumeBackendFake::Mount* VolumeBackendFake::mount_above(const std::string& real) const {
  for (std::string path = real; !path.empty(); path.erase(path.rfind('/'))) {
    if (const auto mount = mounts_.find(path); mount != mounts_.end()) return &mount->second;
  }
  return nullptr;
}

// The path without links of what the path leads to, which exists.
Result<std::string> VolumeBackendFake::resolve(const PosixPath& path, const char* operation) const {
  std::string here = path.text();
  for (int links = 0; links <= kMaxLinks; ++links) {
    const PosixPath* root = roots_.root_of(*PosixPath::parse(here, operation));
    if (root == nullptr) {
      return Error(StatusCode::kPermissionDenied, operation, path.text())
          .because("a link leads out of the allowed roots " + roots_.describe());
    }
    size_t end = root->text().size();  // of what is known to hold no link
    bool is_link = false;
    while (end < here.size() && !is_link) {
      end = std::min(here.find('/', end + 1), here.size());
      const auto entry = entries_.find(here.substr(0, end));
      if (entry == entries_.end()) {
        return Error(StatusCode::kNotFound, operation, path.text())
            .because("it, or what a link leads to, is not there");
      }
      if (entry->second.kind == EntryKind::kFile && end < here.size()) {
        return refusal(operation, path.text(), "a file stands in the way");
      }
      if (entry->second.kind != EntryKind::kLink) continue;
      is_link = true;
      const auto parent = std::filesystem::path(entry->first).parent_path();
      const auto target = parent / entry->second.link_text;
      here = (target / here.substr(std::min(end + 1, here.size()))).lexically_normal().string();
      if (here.size() > 1 && here.ends_with('/')) here.pop_back();
    }
    if (!is_link) return here;
  }
  return refusal(operation, path.text(), "too many links");
}

bool VolumeBackendFake::is_nothing_at(const PosixPath& path) const {
  for (PosixPath place = path; roots_.root_of(place.parent()) != nullptr; place = place.parent()) {
    const Result<std::string> parent = resolve(place.parent(), "look for");
    if (parent) return !entries_.contains(*parent + "/" + std::string(place.name()));
  }
  return false;
}

// Links on the way are followed, one at the end is refused.
Result<std::string> VolumeBackendFake::resolve_target(const PosixPath& target,
                                                      const char* operation) const {
  if (roots_.root_of(target.parent()) != nullptr) {
    const Result<std::string> parent = resolve(target.parent(), operation);
    if (!parent) return parent.error();
    const auto entry = entries_.find(*parent + "/" + std::string(target.name()));
    if (entry != entries_.end() && entry->second.kind == EntryKind::kLink) {
      return refusal(operation, target.text(), "it is a link");
    }
  }
  return resolve(target, operation);
}

Result<std::vector<std::string>> VolumeBackendFake::list(uint32_t disk_number,
                                                         uint32_t partition_number,
                                                         const Deadline&) {
  const std::lock_guard lock(mutex_);
  auto online =
      check_online(disk_number, "disk " + std::to_string(disk_number), "list the volumes");
  if (!online) return std::move(online).error();
  std::vector<std::tuple<uint32_t, std::string>> found;
  for (const auto& [id, volume] : volumes_) {
    if (volume.disk_number != disk_number) continue;
    if (partition_number != 0 && volume.partition_number != partition_number) continue;
    found.emplace_back(volume.partition_number, id);
  }
  if (found.empty() && !disks_.contains(disk_number)) {
    return Error(StatusCode::kNotFound, "list the volumes of",
                 "disk " + std::to_string(disk_number))
        .because("there is no such disk");
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> ids;
  ids.reserve(found.size());
  for (auto& [partition, id] : found) ids.push_back(std::move(id));
  return ids;
}

Result<bool> VolumeBackendFake::is_formatted(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = find(id, "tell whether there is a filesystem on the volume");
  if (!found) return found.error();
  const FakeVolume::Content content = (*found)->second.content;
  return content == FakeVolume::Content::kFilesystem ||
         content == FakeVolume::Content::kSomethingElse;
}

Result<void> VolumeBackendFake::check_formattable(const Volumes::value_type& volume) const {
  const auto& [id, state] = volume;
  if (is_mounted(id)) return refusal(kFormat, id, "it is mounted");
  if (state.content == FakeVolume::Content::kFilesystem ||
      state.content == FakeVolume::Content::kSomethingElse) {
    return refusal(kFormat, id, "it holds something already");
  }
  if (state.read_only) return refusal(kFormat, id, "it is read-only");
  if (state.needed_by_system) return refusal(kFormat, id, "the system needs its disk");
  return {};
}

Result<void> VolumeBackendFake::format(const std::string& id, const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kFormat, id)) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  const auto found = find(id, kFormat);
  if (!found) return found.error();
  FakeVolume& volume = (*found)->second;
  if (volume.content == FakeVolume::Content::kFilesystem && volume.never_mounted) return {};
  if (Result<void> checked = check_formattable(**found); !checked) return checked;
  volume.content = FakeVolume::Content::kFilesystem;
  volume.never_mounted = true;
  volume.used = 0;
  return {};
}

Result<void> VolumeBackendFake::check_target(const std::string& real,
                                             const PosixPath& target) const {
  if (mounts_.contains(real)) {
    return refusal(kMount, target.text(), "something else is mounted there");
  }
  if (entries_.at(real).kind != EntryKind::kDirectory) {
    return refusal(kMount, target.text(), "it is no directory");
  }
  if (first_below(entries_, real) != entries_.end()) {
    return refusal(kMount, target.text(), "the directory is not empty");
  }
  return {};
}

Result<void> VolumeBackendFake::mount(const std::string& id, const PosixPath& target,
                                      const Deadline& deadline,
                                      const support::WarningLog& /*warnings*/) {
  if (auto exceeded = deadline.exceeded(kMount, target.text())) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  const auto found = find(id, "mount the volume");
  if (!found) return found.error();
  auto& [unique, volume] = **found;
  const Result<std::string> real = resolve_target(target, kMount);
  if (!real) return real.error();
  const auto present = mounts_.find(*real);
  if (present != mounts_.end() && present->second.id == unique) return {};
  if (Result<void> checked = check_target(*real, target); !checked) return checked;
  if (volume.content != FakeVolume::Content::kFilesystem) {
    return refusal(kMount, target.text(), "the volume " + id + " holds no filesystem");
  }
  if (volume.read_only && !mounts_read_only_disks_) {
    return refusal(kMount, target.text(), "its disk is read-only");
  }
  mounts_[*real] = {unique};
  volume.never_mounted = false;
  return {};
}

Result<void> VolumeBackendFake::unmount(const std::string& id, const PosixPath& target,
                                        const Deadline& deadline,
                                        const support::WarningLog& warnings) {
  if (auto exceeded = deadline.exceeded(kUnmount, target.text())) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  const Result<std::string> real = resolve_target(target, kUnmount);
  if (!real && real.error().code() == StatusCode::kNotFound) return {};
  if (!real) return real.error();
  const auto mount = mounts_.find(*real);
  if (mount == mounts_.end()) return {};
  const bool lost = is_lost(mount->second);
  const bool is_it = mount->second.id &&
                     (means(id, *mount->second.id) || (lost && id == "LOST=" + *mount->second.id));
  if (!is_it) {
    return refusal(kUnmount, target.text(), "something other than the volume " + id + " is there");
  }
  if (mount->second.busy || first_below(mounts_, *real) != mounts_.end()) {
    return refusal(kUnmount, target.text(), "somebody uses it");
  }
  mounts_.erase(mount);
  std::erase_if(entries_, [&](const auto& entry) { return entry.first.starts_with(*real + "/"); });
  if (lost) warnings.write("\"" + target.text() + "\": what was not written is lost");
  return {};
}

Result<void> VolumeBackendFake::flush(const std::string& id, const support::WarningLog& warnings) {
  const std::lock_guard lock(mutex_);
  const auto found = find(id, "write what is unwritten of the volume", /*served=*/false);
  if (found || found.error().code() != StatusCode::kNotFound) {
    return found ? Result<void>() : found.error();
  }
  const auto lost =
      std::ranges::find_if(mounts_, [&](const auto& mount) { return is_lost(mount.second); });
  if (lost == mounts_.end()) return found.error();
  warnings.write("\"" + lost->first + "\": what was not written is lost");
  return {};
}

uint64_t VolumeBackendFake::largest_size(const FakeVolume& volume) const {
  const uint64_t disk = disks_.at(volume.disk_number);
  if (volume.partition_number == 0) return disk;
  const bool has_neighbour = std::any_of(volumes_.begin(), volumes_.end(), [&](const auto& other) {
    return other.second.disk_number == volume.disk_number &&
           other.second.partition_number > volume.partition_number;
  });
  return has_neighbour ? volume.size : disk - std::min(disk, kTableBytes);
}

Result<void> VolumeBackendFake::resize(const std::string& id, uint64_t size,
                                       const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kResize, id)) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  const auto found = find(id, kResize);
  if (!found) return found.error();
  FakeVolume& volume = (*found)->second;
  if (volume.content != FakeVolume::Content::kFilesystem) {
    return refusal(kResize, id, "it holds no filesystem");
  }
  const uint64_t largest = largest_size(volume);
  const uint64_t wanted = size == 0 ? largest : size;
  if (wanted <= volume.size) return {};
  if (wanted > largest) {
    return Error(StatusCode::kOutOfRange, kResize, id)
        .because("its disk has room for " + std::to_string(largest) + " bytes only");
  }
  if (volume.read_only) return refusal(kResize, id, "it is read-only");
  volume.size = wanted;
  return {};
}

Result<VolumeStats> VolumeBackendFake::stats(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = find(id, "tell the size of the volume");
  if (!found) return found.error();
  return VolumeStats{(*found)->second.size, (*found)->second.used};
}

Result<uint32_t> VolumeBackendFake::disk_number_of(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto is_asked = [&](const auto& mount) {
    return is_lost(mount.second) && id == "LOST=" + *mount.second.id;
  };
  if (std::ranges::any_of(mounts_, is_asked)) return 0U;
  const auto found = find(id, "find the disk of the volume", /*served=*/false);
  if (!found) return found.error();
  return (*found)->second.disk_number;
}

Result<std::string> VolumeBackendFake::id_of_mount_point(const PosixPath& path, const Deadline&) {
  const std::lock_guard lock(mutex_);
  const Result<std::string> real = resolve(path, kTellVolume);
  if (!real) {
    const bool is_absent = real.error().code() == StatusCode::kNotFound;
    if (is_absent && is_nothing_at(path)) return no_such_mount_point(path);
    return real.error();
  }
  if (const auto mount = mounts_.find(*real); mount != mounts_.end()) {
    if (is_lost(mount->second)) return "LOST=" + *mount->second.id;
    if (mount->second.id) return *mount->second.id;
    return refusal(kTellVolume, path.text(), "what is mounted there is no volume");
  }
  if (entries_.at(*real).kind == EntryKind::kDirectory) return not_a_mounted_folder(path);
  return refusal(kTellVolume, path.text(), "it is no directory, and so not a mounted folder");
}

Result<std::string> VolumeBackendFake::closest_id(const PosixPath& path, const Deadline&) {
  constexpr const char* kOperation = "find the closest volume for path";
  const std::lock_guard lock(mutex_);
  const Result<std::string> real = resolve(path, kOperation);
  if (!real) return real.error();
  const Mount* mount = mount_above(*real);
  if (mount != nullptr && mount->id) return *mount->id;
  return refusal(kOperation, path.text(), "the path is on no volume");
}

}  // namespace longshore::volume
