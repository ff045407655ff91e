#include "tests/guest/growing_disk.h"

#include <filesystem>
#include <fstream>

#include "tests/guest/new_disk.h"

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

const std::string kTarget = "/sys/kernel/config/target/";
const std::string kStore = kTarget + "core/fileio_0/growing_disk/";
const std::string kAdapter = kTarget + "loopback/naa.6001405000000001/";
const std::string kGroup = kAdapter + "tpgt_1/";
const std::string kUnit = kGroup + "lun/lun_0/";

}  // namespace

GrowingDisk::GrowingDisk(int64_t bytes) {
  const auto before = disk_names();
  write_file(file(), "");
  fs::resize_file(file(), static_cast<uintmax_t>(bytes));
  fs::create_directories(kStore);
  write_file(kStore + "control", "fd_dev_name=" + file() + ",fd_dev_size=" + std::to_string(bytes));
  write_file(kStore + "wwn/vpd_unit_serial", "11111111-2222-3333-4444-555555555550");
  write_file(kStore + "enable", "1");
  fs::create_directories(kUnit);
  write_file(kGroup + "nexus", "naa.6001405000000002");
  fs::create_symlink(kStore.substr(0, kStore.size() - 1), kUnit + "store");
  name_ = await_new_disk(before);
  number_ = disk_number(name_);
}

GrowingDisk::~GrowingDisk() {
  std::error_code ignored;
  std::ofstream("/sys/class/block/" + name_ + "/device/delete") << "1";
  fs::remove(kUnit + "store", ignored);
  fs::remove(kUnit, ignored);
  std::ofstream(kGroup + "nexus") << "NULL";
  fs::remove(kGroup, ignored);
  fs::remove(kAdapter, ignored);
  fs::remove(kStore, ignored);
}

void GrowingDisk::grow(int64_t bytes) {
  fs::resize_file(file(), static_cast<uintmax_t>(bytes));
  write_file(kStore + "control", "fd_dev_size=" + std::to_string(bytes));
}

}  // namespace longshore::test
