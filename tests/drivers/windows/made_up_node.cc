#include "tests/drivers/windows/made_up_node.h"

#include <system_error>

#include "longshore/windows/wide_text.hpp"
#include "tests/drivers/windows/made_up_volume.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

constexpr uint32_t kSystemDisk = 100;
constexpr int kLinksAtMost = 16;

bool is_on_share(const std::string& real) { return real.starts_with(kShareRoot); }

FakeDisk disk_with(uint8_t lun, const std::string& page83, const std::string& serial) {
  FakeDisk disk;
  disk.bytes = kVolumeDiskBytes;
  // As SCSI has a vendor's own name, in ASCII.
  disk.id_descriptor = id_descriptor({{.code_set = 2, .type = 1, .bytes = page83}});
  disk.device_descriptor = device_descriptor(serial);
  disk.scsi_address = scsi_address(1, 0, 0, lun);
  return disk;
}

}  // namespace

MadeUpNode::MadeUpNode()
    : devices_(kSystemDisk),
      mappings_(std::make_shared<smb::GlobalMappingsStandIn>(kShareRoot)),
      files_(std::make_shared<smb::FilesStandIn>(*mappings_)) {
  mappings_->server = {
      .user = kShareUser, .password = kSharePassword, .directories = {kShareFolder}};
  devices_.directories_of = [this](const std::wstring& volume) {
    std::error_code error;
    return files_->paths_of_volume(volume, error);
  };
  reset();
}

void MadeUpNode::reset() {
  files_->node().remove(kNodeRoot);
  files_->node().put_directory(kNodeRoot);
  contents_.clear();
  mappings_->mappings.clear();
  devices_.remove_disk(kVolumeDisk);
  devices_.remove_disk(kOtherDisk);
  devices_.disk(kVolumeDisk) = disk_with(kVolumeLun, kVolumePage83, kVolumeSerial);
  devices_.disk(kOtherDisk) = disk_with(kVolumeLun + 1, "Google  pd-0a1b2c3e", "vol0a1b2c3d4e60");
}

void MadeUpNode::grow_disk(uint64_t bytes) { devices_.grow_disk(kVolumeDisk, bytes); }

void MadeUpNode::lose_disk() {
  files_->node().lose_volume(narrow(devices_.volume_name(kVolumeDisk)));
  devices_.remove_disk(kVolumeDisk);
}

std::string MadeUpNode::real(const std::string& path, int links) const {
  require(links < kLinksAtMost, path + " leads through too many links");
  if (is_on_share(path)) return path;
  for (size_t end = path.find('\\'); true; end = path.find('\\', end + 1)) {
    const auto found = files_->node().inspect(path.substr(0, end));
    const bool is_last = end == std::string::npos;
    if (found && found->point) {
      std::string target = narrow(found->point->target);
      if (!is_last && !target.ends_with('\\')) target += '\\';
      return real(target + (is_last ? "" : path.substr(end + 1)), links + 1);
    }
    if (is_last) return path;
  }
}

std::string MadeUpNode::named(const std::string& path) const {
  const size_t last = path.rfind('\\');
  std::string parent = real(path.substr(0, last));
  if (!parent.ends_with('\\')) parent += '\\';
  return parent + path.substr(last + 1);
}

std::wstring MadeUpNode::volume_of(const std::string& real) const {
  constexpr std::string_view kEnd = "}\\";
  const size_t end = real.starts_with("\\\\?\\Volume{") ? real.find(kEnd) : std::string::npos;
  return end == std::string::npos ? std::wstring() : wide(real.substr(0, end + kEnd.size()));
}

bool MadeUpNode::is_served(const std::string& real) const {
  if (is_on_share(real)) return mappings_->look_at(kShareRoot) == ERROR_SUCCESS;
  const std::wstring volume = volume_of(real);
  return volume.empty() || devices_.place_of(volume).has_value();
}

std::string MadeUpNode::key_of(const std::string& real) {
  const std::wstring volume = volume_of(real);
  if (volume.empty()) return real;
  return std::to_string(devices_.filesystem(volume).serial_number) + real;
}

bool MadeUpNode::is_empty(const std::string& real) const {
  std::error_code error;
  const auto opened = files_->open_path(wide(real), support::FileSystemCalls::LastName::kUnfollowed,
                                        support::FileAccess::kList, error);
  return opened && opened->list(error).empty() && !error;
}

MadeUpNode::Seen MadeUpNode::look(const std::string& path) {
  Seen seen;
  if (const auto found = files_->node().inspect(named(path))) {
    seen.exists = true;
    if (found->point) {
      const bool is_volume = found->point->kind == support::ReparseKind::kVolumeMountPoint;
      seen.is_link = !is_volume;
      seen.link_text = is_volume ? "" : narrow(found->point->target);
      seen.is_mount_point = is_volume && devices_.place_of(found->point->target).has_value();
    }
  }
  const std::string where = real(path);
  if (!is_served(where)) return seen;
  bool is_there = is_on_share(where);
  if (is_there) {
    seen.is_directory = mappings_->look_at(where) == ERROR_SUCCESS;
  } else if (const auto found = files_->node().inspect(where)) {
    is_there = true;
    seen.is_directory = found->is_directory;
    seen.is_empty = found->is_directory && is_empty(where);
  }
  const auto content = contents_.find(key_of(where));
  if (is_there && content != contents_.end()) {
    seen.content = content->second;
  }
  const std::wstring volume = volume_of(where);
  if (!volume.empty()) seen.filesystem_bytes = devices_.space(volume).total;
  return seen;
}

void MadeUpNode::make_directories(const std::string& path) {
  const std::string where = real(path);
  require(is_served(where), path + " leads to what is not there");
  if (!is_on_share(where)) files_->node().put_directory(where);
}

void MadeUpNode::write(const std::string& path, const std::string& content) {
  const std::string where = real(path);
  require(is_served(where), path + " leads to what is not there");
  if (!is_on_share(where)) files_->node().put_file(where);
  contents_[key_of(where)] = content;
}

bool MadeUpNode::remove(const std::string& path) {
  const std::string where = named(path);
  const auto found = files_->node().inspect(where);
  if (!found) return false;
  require(!found->point || found->point->kind != support::ReparseKind::kVolumeMountPoint,
          path + " is a mount point");
  require(!found->is_directory || found->point || is_empty(where), path + " is not empty");
  files_->node().remove(where);
  return true;
}

}  // namespace longshore::test
