#include "tests/guest/scsi_disk.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/eventually.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

const std::string kDriver = "/sys/bus/pseudo/drivers/scsi_debug/";

std::set<std::string> disk_places() {
  std::set<std::string> places;
  for (const auto& entry : fs::directory_iterator("/sys/class/scsi_disk")) {
    places.insert(entry.path().filename());
  }
  return places;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return text;
}

}  // namespace

ScsiDisk::ScsiDisk() {
  const auto before = disk_places();
  write_file(kDriver + "add_host", "1");
  const bool came = eventually([&] {
    for (const std::string& place : disk_places()) {
      if (before.contains(place)) continue;
      const fs::path block = "/sys/class/scsi_disk/" + place + "/device/block";
      std::error_code none;
      for (const auto& entry : fs::directory_iterator(block, none)) {
        place_ = place;
        name_ = entry.path().filename();
        return fs::exists(node());
      }
    }
    return false;
  });
  if (!came) throw std::runtime_error("the kernel made no SCSI disk");
  number_ = static_cast<uint32_t>(std::stoul(text_of("/sys/class/block/" + name_ + "/diskseq")));
  // The driver uses the memory of disks that went again, with what they held. The node may still be
  // that of a disk before, which is about to go.
  if (!eventually([&] { return cleared(); })) throw std::runtime_error("a disk that takes no data");
}

// Only where tables and filesystems have what they are known by: all of it takes a second in a
// guest.
bool ScsiDisk::cleared() const {
  const FileDescriptor disk(::open(node().c_str(), O_WRONLY | O_CLOEXEC));
  const std::string zeros(4 << 20, '\0');
  const off_t end = ::lseek(disk.get(), 0, SEEK_END) - static_cast<off_t>(zeros.size());
  for (const off_t place : {off_t{0}, end}) {
    const ssize_t written = ::pwrite(disk.get(), zeros.data(), zeros.size(), place);
    if (written != static_cast<ssize_t>(zeros.size())) return false;
  }
  return ::fsync(disk.get()) == 0;
}

// The driver takes away the adapter that came last: objects end in the other order than they came.
ScsiDisk::~ScsiDisk() { std::ofstream(kDriver + "add_host") << "-1"; }

void ScsiDisk::unplug() const { set_attribute("delete", "1"); }

void ScsiDisk::make_read_only() const {
  const FileDescriptor disk(::open(node().c_str(), O_RDONLY | O_CLOEXEC));
  const int yes = 1;
  if (::ioctl(disk.get(), BLKROSET, &yes) != 0) throw std::runtime_error("the disk stays writable");
}

std::string ScsiDisk::attribute(const std::string& name) const {
  return text_of("/sys/class/scsi_device/" + place_ + "/device/" + name);
}

void ScsiDisk::set_attribute(const std::string& name, const std::string& value) const {
  write_file("/sys/class/scsi_device/" + place_ + "/device/" + name, value + "\n");
}

void set_virtual_size_of_scsi_disks(int gibibytes) {
  write_file(kDriver + "virtual_gb", std::to_string(gibibytes));
}

}  // namespace longshore::test
