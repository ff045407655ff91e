#include "tests/support/served_file.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace longshore::test {
namespace {

constexpr uint64_t kRoot = FUSE_ROOT_ID;
constexpr uint64_t kFile = 2;
constexpr uint32_t kMostBytes = 128 << 10;  // of one write
constexpr uint64_t kForEver = 3600;         // in seconds

void require(bool done, const std::string& what) {
  const std::error_code error = error_unless(done);
  if (!done) throw std::runtime_error("cannot " + what + ": " + error.message());
}

fuse_attr attributes_of(uint64_t node, const FileDescriptor& content) {
  struct stat status {};
  ::fstat(content.get(), &status);
  fuse_attr attributes{};
  attributes.ino = node;
  attributes.nlink = 1;
  attributes.blksize = 4096;
  attributes.mode = node == kRoot ? S_IFDIR | 0755 : S_IFREG | 0600;
  if (node == kFile) attributes.size = static_cast<uint64_t>(status.st_size);
  attributes.blocks = attributes.size / 512;
  return attributes;
}

// What follows the head of a request.
template <typename Body>
Body body_of(const std::vector<char>& request) {
  Body body{};
  std::memcpy(&body, request.data() + sizeof(fuse_in_header),
              std::min(sizeof(body), request.size() - sizeof(fuse_in_header)));
  return body;
}

}  // namespace

bool ServedFile::is_possible() { return ::access("/dev/fuse", R_OK | W_OK) == 0; }

ServedFile::ServedFile(uint64_t bytes)
    : point_(directory_ / "served"),
      content_(::open((directory_ / "content").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
      device_(::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK)),
      wakes_(::eventfd(0, EFD_CLOEXEC)) {
  require(content_ && ::ftruncate(content_.get(), static_cast<off_t>(bytes)) == 0, "make a file");
  require(static_cast<bool>(device_), "open /dev/fuse");
  std::filesystem::create_directory(point_);
  const std::string options =
      "fd=" + std::to_string(device_.get()) + ",rootmode=40000,user_id=0,group_id=0";
  require(::mount("test", point_.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0,
          "mount on " + point_);
  server_ = std::thread([this] { serve(); });
}

ServedFile::~ServedFile() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    is_silent_ = false;
    changed_.notify_all();
  }
  const uint64_t one = 1;
  static_cast<void>(::write(wakes_.get(), &one, sizeof(one)));
  server_.join();
  device_ = FileDescriptor();
  ::umount2(point_.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
}

void ServedFile::fall_silent() {
  const std::lock_guard lock(mutex_);
  is_silent_ = true;
}

void ServedFile::answer_again() {
  const std::lock_guard lock(mutex_);
  is_silent_ = false;
  changed_.notify_all();
}

bool ServedFile::is_awaited() const {
  pollfd question{device_.get(), POLLIN, 0};
  return ::poll(&question, 1, 0) > 0 && (question.revents & POLLIN) != 0;
}

void ServedFile::serve() {
  std::vector<char> buffer(kMostBytes + (64 << 10));
  for (;;) {
    pollfd questions[] = {{device_.get(), POLLIN, 0}, {wakes_.get(), POLLIN, 0}};
    ::poll(questions, 2, -1);
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !is_silent_; });
      if (is_over_) return;
    }
    const ssize_t size = ::read(device_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == ENODEV) return;  // unmounted
    if (size < static_cast<ssize_t>(sizeof(fuse_in_header))) continue;
    answer({buffer.begin(), buffer.begin() + size});
  }
}

void ServedFile::answer(const std::vector<char>& request) {
  fuse_in_header head{};
  std::memcpy(&head, request.data(), sizeof(head));
  switch (head.opcode) {
    case FUSE_INIT: {
      fuse_init_out out{};
      out.major = FUSE_KERNEL_VERSION;
      out.minor = 31;
      out.max_write = kMostBytes;
      out.max_background = 64;
      out.congestion_threshold = 64;
      return reply(head.unique, 0, &out, sizeof(out));
    }
    case FUSE_LOOKUP: {
      const std::string_view name(request.data() + sizeof(head));
      if (head.nodeid != kRoot || name != "disk") return reply(head.unique, -ENOENT);
      fuse_entry_out out{};
      out.nodeid = kFile;
      out.entry_valid = kForEver;
      out.attr_valid = kForEver;
      out.attr = attributes_of(kFile, content_);
      return reply(head.unique, 0, &out, sizeof(out));
    }
    case FUSE_GETATTR:
    case FUSE_SETATTR: {
      fuse_attr_out out{};
      out.attr_valid = kForEver;
      out.attr = attributes_of(head.nodeid, content_);
      return reply(head.unique, 0, &out, sizeof(out));
    }
    case FUSE_OPEN: {
      fuse_open_out out{};
      out.open_flags = FOPEN_DIRECT_IO;  // whatever is read is asked for
      return reply(head.unique, 0, &out, sizeof(out));
    }
    case FUSE_READ: {
      const auto in = body_of<fuse_read_in>(request);
      std::vector<char> bytes(in.size);
      const ssize_t size =
          ::pread(content_.get(), bytes.data(), bytes.size(), static_cast<off_t>(in.offset));
      if (size < 0) return reply(head.unique, -errno);
      return reply(head.unique, 0, bytes.data(), static_cast<size_t>(size));
    }
    case FUSE_WRITE: {
      const auto in = body_of<fuse_write_in>(request);
      const ssize_t size = ::pwrite(content_.get(), request.data() + sizeof(head) + sizeof(in),
                                    in.size, static_cast<off_t>(in.offset));
      if (size < 0) return reply(head.unique, -errno);
      fuse_write_out out{};
      out.size = static_cast<uint32_t>(size);
      return reply(head.unique, 0, &out, sizeof(out));
    }
    case FUSE_STATFS: {
      const fuse_statfs_out out{};
      return reply(head.unique, 0, &out, sizeof(out));
    }
    case FUSE_FLUSH:
    case FUSE_FSYNC:
    case FUSE_RELEASE:
      return reply(head.unique, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
      return;  // have no answer
    default:
      return reply(head.unique, -ENOSYS);
  }
}

void ServedFile::reply(uint64_t id, int error, const void* data, size_t size) const {
  fuse_out_header head{};
  head.len = static_cast<uint32_t>(sizeof(head) + size);
  head.error = error;
  head.unique = id;
  const iovec parts[] = {{&head, sizeof(head)}, {const_cast<void*>(data), size}};
  // ENOENT: who asked was interrupted.
  static_cast<void>(::writev(device_.get(), parts, size == 0 ? 1 : 2));
}

}  // namespace longshore::test
