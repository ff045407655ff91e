#include "volume/volume_service.h"

#include <algorithm>
#include <string_view>

namespace longshore::volume {
using support::PosixPath;

namespace {

constexpr size_t kMaxIdBytes = 128;

bool may_be_in_id(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("=-@_.:\\?{}").find(c) != std::string_view::npos;
}

// Refuses what can name no volume, so that a backend need not fear what is in an id. `operation`
// completes "cannot ..." without the id.
Result<void> check_id(const std::string& id, const char* operation) {
  if (id.empty()) return Error(StatusCode::kInvalidArgument, operation).because("volume id empty");
  if (id.size() <= kMaxIdBytes && std::all_of(id.begin(), id.end(), may_be_in_id)) return {};
  std::string shown = id.substr(0, kMaxIdBytes);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return !may_be_in_id(c); }, '?');
  return Error(StatusCode::kNotFound, operation, shown)
      .because("there is no such volume")
      .advise("use an id that ListVolumesOnDisk answered, as it is");
}

Result<PosixPath> check_path(const support::AllowedRoots& roots, const std::string& path,
                             const std::string& operation) {
  if (path.empty()) {
    return Error(StatusCode::kInvalidArgument, operation).because("target path is empty");
  }
  return roots.check(path, operation);
}

std::string name_of(const std::string& id) { return "volume " + id; }

}  // namespace

template <typename Mutate>
Result<void> VolumeService::mutate_at(const char* verb, const char* preposition,
                                      const std::string& id, const std::string& target,
                                      const Deadline& deadline, const std::string& request_id,
                                      const Mutate& mutate) {
  if (Result<void> checked = check_id(id, verb); !checked) return checked;
  const std::string act = verb + (" " + id + " ") + preposition;
  const Result<PosixPath> path = check_path(roots_, target, act);
  if (!path) return path.error();
  // Quoted, so that no path reads like another operation.
  const std::string operation = act + " \"" + path->text() + "\"";
  // Never waits for a target while it holds a volume: whoever does the same holds the volume too.
  const auto at_target = [&] {
    return single_flight_.run("target " + path->text(), operation, request_id, deadline,
                              [&] { return mutate(*path); });
  };
  return single_flight_.run(name_of(id), operation, request_id, deadline, at_target);
}

Result<bool> VolumeService::is_formatted(const std::string& id) {
  const Result<void> checked = check_id(id, "tell whether there is a filesystem on the volume");
  return checked ? backend_.is_formatted(id) : checked.error();
}

Result<void> VolumeService::format(const std::string& id, const Deadline& deadline,
                                   const std::string& request_id) {
  if (Result<void> checked = check_id(id, "format the volume"); !checked) return checked;
  return single_flight_.run(name_of(id), "format the volume " + id, request_id, deadline,
                            [&] { return backend_.format(id, deadline); });
}

Result<void> VolumeService::mount(const std::string& id, const std::string& target,
                                  const Deadline& deadline, const std::string& request_id) {
  return mutate_at("mount the volume", "on", id, target, deadline, request_id,
                   [&](const PosixPath& path) { return backend_.mount(id, path, deadline); });
}

Result<void> VolumeService::unmount(const std::string& id, const std::string& target,
                                    const Deadline& deadline, const std::string& request_id) {
  return mutate_at("unmount the volume", "from", id, target, deadline, request_id,
                   [&](const PosixPath& path) { return backend_.unmount(id, path, deadline); });
}

Result<void> VolumeService::flush(const std::string& id) {
  Result<void> checked = check_id(id, "write what is unwritten of the volume");
  return checked ? backend_.flush(id) : checked;
}

Result<void> VolumeService::resize(const std::string& id, int64_t size_bytes,
                                   const Deadline& deadline, const std::string& request_id) {
  if (Result<void> checked = check_id(id, "resize the volume"); !checked) return checked;
  if (size_bytes < 0) {
    return Error(StatusCode::kInvalidArgument, "resize the volume", id)
        .because("invalid negative size: " + std::to_string(size_bytes) + " bytes")
        .advise("0 means as large as the disk allows");
  }
  const std::string aim =
      size_bytes == 0 ? "as far as its disk allows" : "to " + std::to_string(size_bytes) + " bytes";
  const auto size = static_cast<uint64_t>(size_bytes);
  return single_flight_.run(name_of(id), "resize the volume " + id + " " + aim, request_id,
                            deadline, [&] { return backend_.resize(id, size, deadline); });
}

Result<VolumeStats> VolumeService::stats(const std::string& id) {
  const Result<void> checked = check_id(id, "tell the size of the volume");
  return checked ? backend_.stats(id) : checked.error();
}

Result<uint32_t> VolumeService::disk_number_of(const std::string& id) {
  const Result<void> checked = check_id(id, "find the disk of the volume");
  return checked ? backend_.disk_number_of(id) : checked.error();
}

Result<PosixPath> VolumeService::enter(const std::string& path, const char* operation,
                                       const support::Bulkhead& bulkhead) {
  Result<PosixPath> checked = check_path(roots_, path, operation);
  if (!checked) return checked;
  const Result<void> entered = bulkhead.enter(backend_.bulkhead_of(*checked));
  if (!entered) return entered.error();
  return checked;
}

Result<std::string> VolumeService::id_of_mount_point(const std::string& path,
                                                     const support::Bulkhead& bulkhead) {
  const Result<PosixPath> entered = enter(path, "tell which volume is mounted on", bulkhead);
  return entered ? backend_.id_of_mount_point(*entered) : entered.error();
}

Result<std::string> VolumeService::closest_id(const std::string& path,
                                              const support::Bulkhead& bulkhead) {
  const Result<PosixPath> entered = enter(path, "find the closest volume for path", bulkhead);
  return entered ? backend_.closest_id(*entered) : entered.error();
}

}  // namespace longshore::volume
