#include "tests/support/loop_disk.h"

#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <system_error>

#include "support/linux/command.h"

namespace longshore::test {
namespace {

constexpr int kAttempts = 100;  // others take free devices too

void require(bool done, const std::string& what) {
  const std::error_code error = error_unless(done);
  if (!done) throw std::runtime_error("cannot " + what + ": " + error.message());
}

FileDescriptor open_file(const std::string& path, int flags) {
  FileDescriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  require(static_cast<bool>(file), "open " + path);
  return file;
}

// A file of sysfs that holds one number; 0 where there is none.
uint64_t number_in(const std::filesystem::path& path) {
  uint64_t number = 0;
  std::ifstream(path) >> number;
  return number;
}

std::filesystem::path sysfs_of(const std::string& name) { return "/sys/block/" + name; }

std::string file_behind(const std::string& name) {
  std::string file;
  std::ifstream text(sysfs_of(name) / "loop/backing_file");
  std::getline(text, file);
  return file;
}

std::vector<int> partitions_of(const std::string& name) {
  std::vector<int> numbers;
  for (const auto& entry : std::filesystem::directory_iterator(sysfs_of(name))) {
    const uint64_t number = number_in(entry.path() / "partition");
    if (number != 0) numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

void remove_partitions(const std::string& name, int device) {
  for (const int number : partitions_of(name)) {
    blkpg_partition partition{};
    partition.pno = number;
    blkpg_ioctl_arg argument{};
    argument.op = BLKPG_DEL_PARTITION;
    argument.datalen = sizeof(partition);
    argument.data = &partition;
    require(::ioctl(device, BLKPG, &argument) == 0 || errno == EBUSY || errno == ENXIO,
            "take a partition from " + name);
  }
}

// Frees the device if it is the one that is meant.
void free_device(const std::string& name, const std::function<bool()>& is_meant) {
  if (!is_meant()) return;
  const FileDescriptor device = open_file("/dev/" + name, O_RDONLY);
  if (!is_meant()) return;  // another's by now; it cannot become so while it is open
  remove_partitions(name, device.get());
  require(::ioctl(device.get(), LOOP_CLR_FD) == 0 || errno == ENXIO, "clear " + name);
}

}  // namespace

LoopDisk::LoopDisk(uint64_t bytes, const Options& options)
    : file_(options.file.empty() ? directory_ / "disk" : options.file) {
  const int make = options.file.empty() ? O_CREAT | O_EXCL : 0;
  const FileDescriptor file = open_file(file_, O_RDWR | make);
  require(make == 0 || ::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0,
          "make " + this->file());
  attach(file, options);
  number_ = static_cast<uint32_t>(number_in(sysfs_of(name_) / "diskseq"));
}

LoopDisk::~LoopDisk() {
  try {
    clear();
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
  }
}

void LoopDisk::attach(const FileDescriptor& file, const Options& options) {
  const FileDescriptor control = open_file("/dev/loop-control", O_RDWR);
  loop_config config{};
  config.fd = static_cast<uint32_t>(file.get());
  config.block_size = options.sector_size;
  config.info.lo_flags = LO_FLAGS_PARTSCAN;
  if (options.read_only) config.info.lo_flags |= LO_FLAGS_READ_ONLY;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int index = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    require(index >= 0, "find a free loop device");
    name_ = "loop" + std::to_string(index);
    const FileDescriptor device = open_file(node(), options.read_only ? O_RDONLY : O_RDWR);
    if (::ioctl(device.get(), LOOP_CONFIGURE, &config) == 0) return;
    require(errno == EBUSY, "set up " + node());
  }
  throw std::runtime_error("others took every free loop device");
}

void LoopDisk::make_filesystem() {
  const auto end = support::run_command({"/usr/sbin/mkfs.ext4", "-q", "-F", node()}, {});
  if (!end || end->exit_code != 0) {
    throw std::runtime_error("cannot make a filesystem on " + node());
  }
}

void LoopDisk::grow(uint64_t bytes) {
  const FileDescriptor backing = open_file(file(), O_RDWR);
  require(::ftruncate(backing.get(), static_cast<off_t>(bytes)) == 0, "grow " + file());
  const FileDescriptor device = open_file(node(), O_RDONLY);
  require(::ioctl(device.get(), LOOP_SET_CAPACITY) == 0, "grow " + node());
}

void LoopDisk::make_blank(uint64_t bytes) {
  {
    const FileDescriptor device = open_file(node(), O_RDWR);
    require(::flock(device.get(), LOCK_EX) == 0, "lock " + node());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (remove_partitions(name_, device.get()); !partitions_of(name_).empty();
         remove_partitions(name_, device.get())) {
      require(std::chrono::steady_clock::now() < end, "take the partitions of " + node());
    }
    uint64_t range[] = {0, 0};
    require(::ioctl(device.get(), BLKGETSIZE64, &range[1]) == 0, "get the size of " + node());
    require(::ioctl(device.get(), BLKZEROOUT, range) == 0, "wipe " + node());
  }
  grow(bytes);
}

void LoopDisk::clear() {
  free_device(name_, [this] { return is_there(); });
}

void LoopDisk::clear_all_below(const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block")) {
    const std::string name = entry.path().filename();
    free_device(name, [&] { return file_behind(name).starts_with(directory + "/"); });
  }
}

bool LoopDisk::is_there() const {
  return std::filesystem::exists(sysfs_of(name_) / "loop/backing_file") &&
         number_in(sysfs_of(name_) / "diskseq") == number_;
}

}  // namespace longshore::test
