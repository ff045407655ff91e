#include "support/linux/block/held_device.h"

#include "support/linux/block/sysfs.h"

namespace longshore::block {

Error held_refused(const BlockDevices& devices, const HeldDevice& held, std::string_view operation,
                   const std::string& object) {
  const std::string dm = devices.sysfs() + "/block/" + held.holder + "/dm/";
  const std::string name = read_text_attribute(dm + "name").value_or("");
  const std::string uuid = read_text_attribute(dm + "uuid").value_or("");
  std::string why = held.name + " is a part of " + held.holder;
  if (!name.empty()) why += " (" + name + ")";
  std::string advice = "it is in use, and not gone: use /dev/" + held.holder +
                       " in its place, or take that away if it is not needed";
  const bool may_be_multipath =
      held.holder.starts_with("dm-") && (name.empty() || uuid.starts_with("mpath-"));
  if (may_be_multipath) {
    advice +=
        "; multipath takes every disk that the blacklist of /etc/multipath.conf does not "
        "name: name it there, and multipath -f " +
        (name.empty() ? held.holder : name) + " gives it free";
  }
  return Error(StatusCode::kFailedPrecondition, std::string(operation), object)
      .because(why)
      .advise(advice);
}

Result<void> check_not_held(const BlockDevices& devices, const Disk& disk,
                            std::string_view operation) {
  if (disk.holders.empty()) return {};
  return held_refused(devices, {disk.name, disk.holders.front()}, operation, disk.node);
}

}  // namespace longshore::block
