#include "tests/guest/machine_disk.h"

#include <unistd.h>

#include <atomic>

#include "tests/guest/new_disk.h"
#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

// As run_guest.sh makes them.
constexpr int64_t kBytes = int64_t{64} << 20;

// A JSON object of texts, without those that are empty. `numbers` are members that stand as they
// are.
std::string object(std::initializer_list<std::pair<const char*, std::string>> texts,
                   const std::string& numbers = {}) {
  std::string members = numbers;
  for (const auto& [name, text] : texts) {
    if (text.empty()) continue;
    if (!members.empty()) members += ", ";
    members += std::string("\"") + name + "\": \"" + text + "\"";
  }
  return "{" + members + "}";
}

// The monitor takes numbers as such only.
std::string decimal(const std::string& hexadecimal) {
  return hexadecimal.empty() ? "" : std::to_string(std::stoull(hexadecimal, nullptr, 16));
}

std::string next_device() {
  static std::atomic<int> last{0};
  return "disk-" + std::to_string(::getpid()) + "-" + std::to_string(++last);
}

}  // namespace

MachineDisk::MachineDisk(MachineMonitor& monitor, const MachineDiskSetup& setup)
    : monitor_(monitor),
      store_("store" + std::to_string(setup.store)),
      device_(next_device()),
      drive_(store_) {
  // What a test before has left in the file goes.
  for (const int64_t bytes : {int64_t{0}, kBytes}) resize(bytes);
  if (!setup.fails.empty()) make_faulty(setup.fails);
  const auto before = disk_names();
  const std::string sector = std::to_string(setup.sector_bytes);
  std::string numbers =
      "\"logical_block_size\": " + sector + ", \"physical_block_size\": " + sector;
  const bool is_scsi = setup.kind == "scsi-hd";
  if (is_scsi) {
    numbers += ", \"lun\": " + std::to_string(setup.lun) +
               ", \"scsi-id\": " + std::to_string(setup.store + 1);
  }
  if (!setup.wwn.empty()) numbers += ", \"wwn\": " + decimal(setup.wwn);
  if (!setup.port_wwn.empty()) numbers += ", \"port_wwn\": " + decimal(setup.port_wwn);
  monitor_.execute("device_add", object({{"driver", setup.kind},
                                         {"bus", is_scsi ? "scsi.0" : ""},
                                         {"id", device_},
                                         {"drive", drive_},
                                         {"serial", setup.serial},
                                         {"device_id", setup.device_id}},
                                        numbers));
  try {
    name_ = await_new_disk(before);
  } catch (const std::runtime_error&) {
    // Its place must be free for the next one's.
    release();
    throw;
  }
  number_ = disk_number(name_);
}

MachineDisk::~MachineDisk() {
  try {
    if (!device_.empty()) pull_out();
  } catch (const std::exception&) {
  }
}

void MachineDisk::pull_out() {
  release();
  require(eventually([this] { return !disk_names().contains(name_); }),
          "the kernel keeps a disk that is gone");
}

// QEMU 7.2 crashes when a file is resized while the last of a disk that was pulled out hangs on it.
void MachineDisk::release() {
  monitor_.execute("device_del", object({{"id", device_}}));
  device_.clear();
  const auto is_free = [this] {
    return monitor_.execute("query-block").find("\"" + drive_ + "\"") == std::string::npos;
  };
  require(eventually(is_free), "the machine keeps a disk that is gone");
  if (drive_ != store_) monitor_.execute("blockdev-del", object({{"node-name", drive_}}));
}

void MachineDisk::make_faulty(const std::string& operation) {
  drive_ = "faulty-" + device_;
  const std::string fault =
      object({{"event", "none"}, {"iotype", operation}}, "\"errno\": 5, \"once\": false");
  monitor_.execute("blockdev-add",
                   object({{"driver", "blkdebug"}, {"node-name", drive_}, {"image", store_}},
                          "\"inject-error\": [" + fault + "]"));
}

void MachineDisk::resize(int64_t bytes) {
  monitor_.execute("block_resize",
                   object({{"node-name", store_}}, "\"size\": " + std::to_string(bytes)));
}

std::string MachineDisk::attribute(const std::string& name) const {
  return read_file("/sys/class/block/" + name_ + "/device/" + name);
}

}  // namespace longshore::test
