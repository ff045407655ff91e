#include "tests/support/disk_content.h"

#include <fcntl.h>
#include <libfdisk.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::test {
namespace {

struct Release {
  void operator()(fdisk_context* context) const {
    fdisk_deassign_device(context, /*nosync=*/1);
    fdisk_unref_context(context);
  }
  void operator()(fdisk_script* script) const { fdisk_unref_script(script); }
  void operator()(FILE* file) const { std::fclose(file); }
};

void must(bool done, const std::string& what) {
  const std::error_code error = error_unless(done);
  if (!done) throw std::runtime_error("cannot " + what + ": " + error.message());
}

FileDescriptor open_node(const std::string& node, int flags) {
  FileDescriptor opened(::open(node.c_str(), flags | O_CLOEXEC));
  must(static_cast<bool>(opened), "open " + node);
  return opened;
}

bool set_read_only(const LoopDisk& disk, int value) {
  const FileDescriptor opened(::open(disk.node().c_str(), O_RDONLY | O_CLOEXEC));
  return opened && ::ioctl(opened.get(), BLKROSET, &value) == 0;
}

}  // namespace

void write_table(const LoopDisk& disk, const std::string& script) {
  const std::string what = "write a partition table to " + disk.node();
  const std::unique_ptr<fdisk_context, Release> context(fdisk_new_context());
  fdisk_disable_dialogs(context.get(), 1);
  must(fdisk_assign_device(context.get(), disk.node().c_str(), /*readonly=*/0) == 0, what);
  const std::unique_ptr<fdisk_script, Release> parsed(fdisk_new_script(context.get()));
  std::string text = script;
  const std::unique_ptr<FILE, Release> file(::fmemopen(text.data(), text.size(), "r"));
  must(file && fdisk_script_read_file(parsed.get(), file.get()) == 0, "read " + script);
  must(fdisk_apply_script(context.get(), parsed.get()) == 0 &&
           fdisk_write_disklabel(context.get()) == 0,
       what);
}

std::string read_bytes(const std::string& node, uint64_t offset, size_t size) {
  const FileDescriptor opened = open_node(node, O_RDONLY);
  std::string bytes(size, '\0');
  const ssize_t count = ::pread(opened.get(), bytes.data(), size, static_cast<off_t>(offset));
  must(count == static_cast<ssize_t>(size), "read " + node);
  return bytes;
}

void write_bytes(const std::string& node, uint64_t offset, std::string_view bytes) {
  const FileDescriptor opened = open_node(node, O_WRONLY);
  const ssize_t count =
      ::pwrite(opened.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
  must(count == static_cast<ssize_t>(bytes.size()) && ::fsync(opened.get()) == 0,
       "write to " + node);
}

void forget_cached(const std::string& node) {
  const FileDescriptor opened = open_node(node, O_RDONLY);
  must(::fsync(opened.get()) == 0 && ::posix_fadvise(opened.get(), 0, 0, POSIX_FADV_DONTNEED) == 0,
       "write out " + node);
}

// From the file: what was written through a partition's node need not be seen through the disk's.
void clone(const LoopDisk& from, const LoopDisk& to) {
  const FileDescriptor source = open_node(from.file(), O_RDONLY);
  const FileDescriptor copy = open_node(to.node(), O_WRONLY);
  std::vector<char> buffer(size_t{1} << 20);
  const std::vector<char> zeros(buffer.size());
  for (off_t offset = 0;;) {
    const ssize_t size = ::pread(source.get(), buffer.data(), buffer.size(), offset);
    must(size >= 0, "read " + from.file());
    if (size == 0) break;
    if (std::memcmp(buffer.data(), zeros.data(), static_cast<size_t>(size)) != 0) {
      must(::pwrite(copy.get(), buffer.data(), static_cast<size_t>(size), offset) == size,
           "write to " + to.node());
    }
    offset += size;
  }
  must(::fsync(copy.get()) == 0, "write to " + to.node());
}

void damage(const LoopDisk& disk, uint64_t offset) {
  std::string byte = read_bytes(disk.node(), offset, 1);
  byte[0] = static_cast<char>(~byte[0]);
  write_bytes(disk.node(), offset, byte);
}

WriteProtection::WriteProtection(const LoopDisk& disk) : disk_(disk) {
  must(set_read_only(disk, 1), "write-protect " + disk.node());
}

WriteProtection::~WriteProtection() { set_read_only(disk_, 0); }

}  // namespace longshore::test
