#include "volume/linux/format_records.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::volume {
namespace {

// Held until it is closed. What is locked is the opened folder, so that threads exclude each other
// too. Nobody has it for longer than it takes to write a line; should somebody, who wants it goes
// on without it, for all that this can cost is another one's line.
FileDescriptor locked(const std::string& directory) {
  constexpr int kAttempts = 50;
  FileDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < kAttempts && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return folder;
}

}  // namespace

// Ids have no slash: "format-PARTUUID=...".
std::string FormatRecords::path_of(const std::string& volume_id) const {
  return directory_ + "/format-" + volume_id;
}

// A line that was cut short is none.
Result<std::vector<std::string>> FormatRecords::uuids_of(const std::string& volume_id) const {
  std::vector<std::string> uuids;
  errno = 0;
  std::ifstream file(path_of(volume_id));
  if (!file.is_open() && errno != ENOENT) {
    return Error(StatusCode::kUnknown, "read", path_of(volume_id)).because(last_error());
  }
  for (std::string uuid; std::getline(file, uuid) && !file.eof() && uuids.size() < kMostCopies;) {
    if (!uuid.empty()) uuids.push_back(uuid);
  }
  return uuids;
}

bool FormatRecords::contains(const std::string& volume_id, const std::string& uuid) const {
  if (directory_.empty() || uuid.empty()) return false;
  const auto uuids = uuids_of(volume_id);
  return uuids && std::ranges::find(*uuids, uuid) != uuids->end();
}

Result<void> FormatRecords::add(const std::string& volume_id, const std::string& uuid) const {
  if (directory_.empty()) return {};
  const FileDescriptor lock = locked(directory_);
  auto uuids = uuids_of(volume_id);
  if (!uuids) return std::move(uuids).error();
  std::erase(*uuids, uuid);
  uuids->push_back(uuid);
  if (uuids->size() > kMostCopies) uuids->erase(uuids->begin());
  return write(path_of(volume_id), *uuids);
}

void FormatRecords::remove(const std::string& volume_id, const std::string& uuid) const {
  if (directory_.empty()) return;
  const FileDescriptor lock = locked(directory_);
  auto uuids = uuids_of(volume_id);
  if (uuids && std::erase(*uuids, uuid) == 0) return;
  // Where the rest cannot be read or written, a record too few is better than one too many.
  if (!uuids || uuids->empty() || !write(path_of(volume_id), *uuids)) {
    ::unlink(path_of(volume_id).c_str());
  }
}

// Written beside it and renamed, so that the record is old or new. It is not flushed: it is there
// for callers who repeat a call because the agent was killed; one that a power failure took away
// makes FormatVolume refuse a volume that is formatted already.
Result<void> FormatRecords::write(const std::string& path,
                                  const std::vector<std::string>& uuids) const {
  const auto failed = [&] {
    return Error(StatusCode::kUnknown, "remember the formatting in", path).because(last_error());
  };
  std::string text;
  for (const std::string& uuid : uuids) text += uuid + "\n";
  const std::string fresh = path + ".new";
  {
    const FileDescriptor file(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file ||
        ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      return failed();
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return failed();
  return {};
}

}  // namespace longshore::volume
