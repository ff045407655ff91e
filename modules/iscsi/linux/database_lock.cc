#include "iscsi/linux/database_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

namespace longshore::iscsi {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kOperation = "lock open-iscsi's database";
constexpr std::chrono::milliseconds kLockPollInterval{10};

Error failed(const std::string& path, const std::error_code& error) {
  return Error(StatusCode::kUnknown, kOperation, path).because(error);
}

Error is_taken(const std::string& path) {
  return Error(StatusCode::kUnavailable, kOperation, path)
      .because("others have held it for too long")
      .advise("repeat the call; look which iscsiadm or which other agent runs all the time");
}

bool is_same_file(const struct stat& left, const struct stat& right) {
  return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

bool is_same_file(const FileDescriptor& file, const std::string& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file.get(), &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         is_same_file(opened, named);
}

// The link that is there when it is first looked at.
class FirstLink {
 public:
  explicit FirstLink(const std::string& path)
      : path_(path), is_there_(::lstat(path.c_str(), &first_) == 0) {}

  // Whether it is there still, and nobody has taken or let go the lock since: open-iscsi's links
  // are all to one file, but making and removing them changes that file's time.
  bool is_unchanged() {
    struct stat now {};
    is_there_ = is_there_ && ::lstat(path_.c_str(), &now) == 0 && is_same_file(first_, now) &&
                first_.st_ctim.tv_sec == now.st_ctim.tv_sec &&
                first_.st_ctim.tv_nsec == now.st_ctim.tv_nsec;
    return is_there_;
  }

 private:
  const std::string& path_;
  struct stat first_ {};
  bool is_there_;
};

// Our file with the BSD lock on it. Nobody removes that file, but who does must not make two
// owners.
Result<FileDescriptor> lock_our_file(const std::string& path, Clock::time_point end) {
  for (;;) {
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failed(path, file.error());
    const std::error_code error = error_unless(::flock(file.get(), LOCK_EX | LOCK_NB) == 0);
    if (!error) {
      if (is_same_file(file, path)) return file;
    } else if (error != std::errc::operation_would_block && error != std::errc::interrupted) {
      return failed(path, error);
    }
    if (Clock::now() >= end) return is_taken(path);
    std::this_thread::sleep_for(kLockPollInterval);
  }
}

}  // namespace

Result<DatabaseLock> DatabaseLock::take(const std::string& folder,
                                        std::chrono::milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  if (const std::error_code error = error_unless(::mkdir(folder.c_str(), 0770) == 0);
      error && error != std::errc::file_exists) {
    return failed(folder, error);
  }
  const std::string our_file = folder + "/longshore";
  const std::string link = folder + "/lock.write";
  FirstLink first(link);
  Result<FileDescriptor> ours = lock_our_file(our_file, end);
  if (!ours) return std::move(ours).error();
  while (const std::error_code error = error_unless(::link(our_file.c_str(), link.c_str()) == 0)) {
    if (error != std::errc::file_exists) return failed(link, error);
    if (is_same_file(*ours, link)) break;  // left by an agent that was killed
    const bool is_first = first.is_unchanged();
    if (Clock::now() < end) {
      std::this_thread::sleep_for(kLockPollInterval);
    } else if (!is_first || ::unlink(link.c_str()) != 0) {
      return is_taken(link);
    }
  }
  return DatabaseLock(link, *std::move(ours));
}

DatabaseLock::~DatabaseLock() {
  // The link first: no other agent makes one as long as the BSD lock is ours.
  if (ours_ && is_same_file(ours_, link_)) ::unlink(link_.c_str());
}

bool DatabaseLock::is_of_agent(const std::string& folder) {
  struct stat ours {
  }, link{};
  return ::lstat((folder + "/longshore").c_str(), &ours) == 0 &&
         ::lstat((folder + "/lock.write").c_str(), &link) == 0 && is_same_file(ours, link);
}

}  // namespace longshore::iscsi
