#include "volume/volume_service.h"

#include <algorithm>
#include <string_view>

#include "support/disk_number.h"
#include "volume/unmounted_path.h"

namespace longshore::volume {
using support::Bulkhead;
using support::Path;

namespace {

constexpr size_t kMaxIdBytes = 128;
constexpr const char* kResizeVolume = "resize the volume";

bool may_be_in_id(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("=-@_.:\\?{}").find(c) != std::string_view::npos;
}

// A blank as in the kernel's lists: nothing that a caller sent reads like words of ours, for which
// the driver of AWS EBS looks in errors.
std::string shown_id(const std::string& id) {
  std::string shown;
  for (const char c : id.substr(0, kMaxIdBytes)) {
    shown += c == ' ' ? "\\040" : std::string(1, may_be_in_id(c) ? c : '?');
  }
  return shown;
}

// Refuses what can name no volume, so that a backend need not fear what is in an id. `operation`
// completes "cannot ..." without the id.
Result<void> check_id(const std::string& id, const char* operation) {
  if (id.empty()) return Error(StatusCode::kInvalidArgument, operation).because("volume id empty");
  if (id.size() <= kMaxIdBytes && std::all_of(id.begin(), id.end(), may_be_in_id)) return {};
  return Error(StatusCode::kNotFound, operation, shown_id(id))
      .because("there is no such volume")
      .advise("use an id that ListVolumesOnDisk answered, as it is");
}

Result<Path> check_path(const support::AllowedRoots& roots, const std::string& path,
                        const std::string& operation) {
  if (path.empty()) {
    return Error(StatusCode::kInvalidArgument, operation).because("target path is empty");
  }
  return roots.check_rooted(path, operation);
}

std::string name_of(const std::string& id) { return "volume " + id; }

}  // namespace

Result<std::vector<std::string>> VolumeService::list(uint32_t disk_number,
                                                     uint32_t partition_number,
                                                     const Deadline& deadline,
                                                     const Bulkhead& bulkhead) {
  const Result<void> entered = bulkhead.enter(backend_.bulkhead_of_disk(disk_number));
  if (!entered) return entered.error();
  return backend_.list(disk_number, partition_number, deadline);
}

Result<void> VolumeService::enter_volume(const std::string& id, const char* operation,
                                         const Bulkhead& bulkhead) {
  if (Result<void> checked = check_id(id, operation); !checked) return checked;
  return bulkhead.enter(backend_.bulkhead_of_volume(id));
}

template <typename Enter, typename Mutate>
Result<void> VolumeService::mutate_at(const char* verb, const char* preposition,
                                      const std::string& id, const std::string& target,
                                      const Deadline& deadline, const std::string& request_id,
                                      const Enter& enter, const Mutate& mutate) {
  if (Result<void> checked = check_id(id, verb); !checked) return checked;
  const std::string act = verb + (" " + id + " ") + preposition;
  const Result<Path> path = check_path(roots_, target, act);
  if (!path) return path.error();
  if (Result<void> entered = enter(*path); !entered) return entered;
  // Quoted, so that no path reads like another operation.
  const std::string operation = act + " \"" + path->text() + "\"";
  // Never waits for a target while it holds a volume: whoever does the same holds the volume too.
  const auto at_target = [&] {
    return single_flight_.run("target " + path->text(), operation, request_id, deadline,
                              [&] { return mutate(*path); });
  };
  return single_flight_.run(name_of(id), operation, request_id, deadline, at_target);
}

Result<bool> VolumeService::is_formatted(const std::string& id, const Bulkhead& bulkhead) {
  const Result<void> entered =
      enter_volume(id, "tell whether there is a filesystem on the volume", bulkhead);
  return entered ? backend_.is_formatted(id) : entered.error();
}

Result<void> VolumeService::format(const std::string& id, const Deadline& deadline,
                                   const std::string& request_id, const Bulkhead& bulkhead) {
  if (Result<void> entered = enter_volume(id, "format the volume", bulkhead); !entered) {
    return entered;
  }
  return single_flight_.run(name_of(id), "format the volume " + id, request_id, deadline,
                            [&] { return backend_.format(id, deadline); });
}

// What the target lies on may hang, but seldom does; what counts in the end is the volume's disk.
Result<void> VolumeService::mount(const std::string& id, const std::string& target,
                                  const Deadline& deadline, const std::string& request_id,
                                  const support::WarningLog& warnings, const Bulkhead& bulkhead) {
  const auto enter = [&](const Path& path) {
    Result<void> entered = bulkhead.enter(backend_.bulkhead_of(path));
    return entered ? bulkhead.enter(backend_.bulkhead_of_volume(id)) : entered;
  };
  return mutate_at("mount the volume", "on", id, target, deadline, request_id, enter,
                   [&](const Path& path) { return backend_.mount(id, path, deadline, warnings); });
}

// What is mounted there is what is unmounted.
Result<void> VolumeService::unmount(const std::string& id, const std::string& target,
                                    const Deadline& deadline, const std::string& request_id,
                                    const support::WarningLog& warnings, const Bulkhead& bulkhead) {
  const auto enter = [&](const Path& path) { return bulkhead.enter(backend_.bulkhead_of(path)); };
  return mutate_at(
      "unmount the volume", "from", id, target, deadline, request_id, enter,
      [&](const Path& path) { return backend_.unmount(id, path, deadline, warnings); });
}

Result<void> VolumeService::flush(const std::string& id, const support::WarningLog& warnings,
                                  const Bulkhead& bulkhead) {
  Result<void> entered = enter_volume(id, "write what is unwritten of the volume", bulkhead);
  return entered ? backend_.flush(id, warnings) : entered;
}

Result<std::string> VolumeService::volume_to_resize(const std::string& id, const Deadline& deadline,
                                                    const Bulkhead& bulkhead) {
  const Result<uint32_t> disk = support::parse_disk_number(id, "");
  if (!disk || std::to_string(*disk) != id) {
    const Result<void> entered = enter_volume(id, kResizeVolume, bulkhead);
    return entered ? Result<std::string>(id) : entered.error();
  }
  const Result<std::vector<std::string>> volumes = list(*disk, 0, deadline, bulkhead);
  if (!volumes) return volumes.error();
  if (volumes->size() == 1) return volumes->front();
  if (volumes->empty()) {
    return Error(StatusCode::kNotFound, kResizeVolume, id)
        .because("the disk of this number has no volume");
  }
  std::string names;
  for (const std::string& each : *volumes) names.append(names.empty() ? "" : ", ").append(each);
  return Error(StatusCode::kFailedPrecondition, kResizeVolume, id)
      .because("the disk of this number has several volumes: " + names)
      .advise("use one of these ids");
}

Result<void> VolumeService::resize(const std::string& disk_or_volume, int64_t size_bytes,
                                   const Deadline& deadline, const std::string& request_id,
                                   const Bulkhead& bulkhead) {
  if (Result<void> checked = check_id(disk_or_volume, kResizeVolume); !checked) return checked;
  if (size_bytes < 0) {
    return Error(StatusCode::kInvalidArgument, kResizeVolume, disk_or_volume)
        .because("invalid negative size: " + std::to_string(size_bytes) + " bytes")
        .advise("0 means as large as the disk allows");
  }
  const Result<std::string> volume = volume_to_resize(disk_or_volume, deadline, bulkhead);
  if (!volume) return volume.error();
  const std::string& id = *volume;
  const std::string aim =
      size_bytes == 0 ? "as far as its disk allows" : "to " + std::to_string(size_bytes) + " bytes";
  const auto size = static_cast<uint64_t>(size_bytes);
  return single_flight_.run(name_of(id), "resize the volume " + id + " " + aim, request_id,
                            deadline, [&] { return backend_.resize(id, size, deadline); });
}

Result<VolumeStats> VolumeService::stats(const std::string& id, const Bulkhead& bulkhead) {
  const Result<void> entered = enter_volume(id, "tell the size of the volume", bulkhead);
  return entered ? backend_.stats(id) : entered.error();
}

Result<uint32_t> VolumeService::disk_number_of(const std::string& id) {
  const Result<void> checked = check_id(id, "find the disk of the volume");
  return checked ? backend_.disk_number_of(id) : checked.error();
}

Result<Path> VolumeService::enter(const std::string& path, const char* operation,
                                  const Bulkhead& bulkhead) {
  Result<Path> checked = check_path(roots_, path, operation);
  if (!checked) return checked;
  const Result<void> entered = bulkhead.enter(backend_.bulkhead_of(*checked));
  if (!entered) return entered.error();
  return checked;
}

Result<std::string> VolumeService::id_of_mount_point(const std::string& path,
                                                     const Bulkhead& bulkhead) {
  const Result<Path> entered = enter(path, kTellVolume, bulkhead);
  return entered ? backend_.id_of_mount_point(*entered, bulkhead.deadline()) : entered.error();
}

Result<std::string> VolumeService::closest_id(const std::string& path, const Bulkhead& bulkhead) {
  const Result<Path> entered = enter(path, "find the closest volume for path", bulkhead);
  return entered ? backend_.closest_id(*entered, bulkhead.deadline()) : entered.error();
}

}  // namespace longshore::volume
