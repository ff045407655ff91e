#include "volume/windows/volume_formatter.h"

#include <vector>

#include "support/windows/guid_text.h"

namespace longshore::volume {

using support::WmiObject;

namespace {

constexpr const char* kFormatByWmi = "format";

}  // namespace

// All are asked for, and compared here: what a caller sent is in no query.
Result<std::string> VolumeFormatter::object_of(const std::string& volume_id,
                                               const Deadline& deadline) {
  const Result<std::vector<WmiObject>> volumes =
      wmi_.query(support::kStorageNamespace, "SELECT UniqueId FROM MSFT_Volume", deadline);
  if (!volumes) return volumes.error();
  for (const WmiObject& volume : *volumes) {
    if (support::is_same_volume(support::text_of(volume, "UniqueId"), volume_id)) {
      return support::text_of(volume, "__PATH");
    }
  }
  return std::string();
}

Result<void> VolumeFormatter::format(const std::string& volume_id, const Deadline& deadline) {
  Result<std::string> object = object_of(volume_id, deadline);
  if (object && object->empty()) {
    // It keeps what it knew before the disk was partitioned.
    const Result<WmiObject> renewed = wmi_.call(support::kStorageNamespace, "MSFT_StorageSetting",
                                                "UpdateHostStorageCache", {}, deadline);
    if (!renewed) return renewed.error();
    object = object_of(volume_id, deadline);
  }
  if (!object) return std::move(object).error();
  if (object->empty()) {
    return Error(StatusCode::kUnavailable, kFormatByWmi, volume_id)
        .because("WMI does not know the volume")
        .advise("try again; if it stays so, Rescan");
  }
  const WmiObject arguments = {{"FileSystem", filesystem_},
                               {"FileSystemLabel", std::string()},
                               {"Full", false},
                               {"Force", true}};
  const Result<WmiObject> done =
      wmi_.call(support::kStorageNamespace, *object, "Format", arguments, deadline);
  if (!done) return done.error();
  return support::check_storage_return(*done, kFormatByWmi, volume_id, "MSFT_Volume.Format");
}

}  // namespace longshore::volume
