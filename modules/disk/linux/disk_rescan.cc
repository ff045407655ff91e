#include "disk/linux/disk_rescan.h"

#include <utility>

#include "support/linux/block/sysfs.h"

namespace longshore::disk {

DiskRescan::DiskRescan(std::string sysfs_root, std::chrono::milliseconds patience)
    : sysfs_(std::move(sysfs_root)),
      writes_(
          &write, [](const Request& request) { return request.path; }, patience) {}

std::optional<std::error_code> DiskRescan::write(const Request& request) {
  return block::write_attribute(request.path, request.text);
}

std::vector<DiskRescan::Request> DiskRescan::requests() const {
  std::vector<Request> requests;
  const std::string hosts = sysfs_ + "/class/scsi_host/";
  for (const std::string& host : block::names_in(hosts)) {
    requests.push_back({hosts + host + "/scan", "- - -"});
  }
  const std::string controllers = sysfs_ + "/class/nvme/";
  for (const std::string& controller : block::names_in(controllers)) {
    requests.push_back({controllers + controller + "/rescan_controller", "1"});
  }
  // All of them: one without a size is served only when it has got one, and dm is made of paths
  // that are not served.
  const std::string disks = sysfs_ + "/block/";
  for (const std::string& disk : block::names_in(disks)) {
    requests.push_back({disks + disk + "/device/rescan", "1"});
  }
  return requests;
}

Result<void> DiskRescan::run() {
  const std::vector<Request> all = requests();
  const auto answers = writes_.gather(all);
  for (size_t i = 0; i < all.size(); ++i) {
    const std::error_code error = answers[i].value_or(std::error_code());
    const bool is_gone = status_code_of(error) == StatusCode::kNotFound;
    if (error && !is_gone) {
      return Error(StatusCode::kUnavailable, "rescan", all[i].path).because(error);
    }
  }
  return {};
}

}  // namespace longshore::disk
