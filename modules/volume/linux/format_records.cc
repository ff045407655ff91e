#include "volume/linux/format_records.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <thread>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::volume {
namespace {

constexpr const char* kRemember = "remember the formatting in";
constexpr size_t kMaxFileBytes = 4096;
constexpr const char* kBegun = "begun ";

// The lock of the folder, which goes with the descriptor. What is locked is the opened folder, so
// that threads exclude each other too. Nobody has it for longer than it takes to write a line.
Result<FileDescriptor> locked(const std::string& directory) {
  constexpr int kAttempts = 50;
  FileDescriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return Error(StatusCode::kUnknown, kRemember, directory).because(folder.error());
  for (int i = 0; i < kAttempts; ++i) {
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0) return folder;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return Error(StatusCode::kUnavailable, kRemember, directory)
      .because("another process holds the lock of this folder")
      .advise("try again; two agents must not share a state directory");
}

// All of a small regular file; the empty text where there is none. A FIFO of that name must not
// hang the agent, and a link leads nowhere.
Result<std::string> content_of(const std::string& path) {
  const auto failed = [&](const std::error_code& error) {
    return Error(StatusCode::kUnknown, "read", path).because(error);
  };
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (file.error() == std::errc::no_such_file_or_directory) return std::string();
  if (!file) return failed(file.error());
  struct stat status {};
  if (const auto error = error_unless(::fstat(file.get(), &status) == 0)) return failed(error);
  if (!S_ISREG(status.st_mode)) return failed(std::make_error_code(std::errc::invalid_argument));
  std::array<char, kMaxFileBytes> bytes{};
  const ssize_t size = ::read(file.get(), bytes.data(), bytes.size());
  if (const auto error = error_unless(size >= 0)) return failed(error);
  return std::string(bytes.data(), static_cast<size_t>(size));
}

}  // namespace

// Ids have no slash: "format-PARTUUID=...".
std::string FormatRecords::path_of(const std::string& volume_id) const {
  return directory_ + "/format-" + volume_id;
}

// A line that was cut short is none.
Result<std::vector<std::string>> FormatRecords::uuids_of(const std::string& volume_id) const {
  Result<std::string> text = content_of(path_of(volume_id));
  if (!text) return std::move(text).error();
  std::vector<std::string> uuids;
  std::istringstream lines(*text);
  for (std::string uuid; std::getline(lines, uuid) && !lines.eof();) {
    if (!uuid.empty()) uuids.push_back(uuid);
  }
  return uuids;
}

Result<bool> FormatRecords::contains(const std::string& volume_id, const std::string& uuid) const {
  if (directory_.empty() || uuid.empty()) return false;
  const auto uuids = uuids_of(volume_id);
  if (!uuids) return uuids.error();
  return std::ranges::find(*uuids, uuid) != uuids->end();
}

Result<void> FormatRecords::add(const std::string& volume_id, const std::string& uuid) const {
  return append(volume_id, {uuid});
}

Result<void> FormatRecords::append(const std::string& volume_id,
                                   const std::vector<std::string>& lines) const {
  if (directory_.empty()) return {};
  const Result<FileDescriptor> lock = locked(directory_);
  if (!lock) return lock.error();
  auto uuids = uuids_of(volume_id);
  if (!uuids) return std::move(uuids).error();
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    std::erase(*uuids, line);
    uuids->push_back(line);
  }
  while (uuids->size() > kMostLines) uuids->erase(uuids->begin());
  return write(path_of(volume_id), *uuids);
}

void FormatRecords::remove(const std::string& volume_id, const std::string& uuid) const {
  if (directory_.empty() || uuid.empty()) return;
  const Result<FileDescriptor> lock = locked(directory_);
  if (!lock) return;
  auto uuids = uuids_of(volume_id);
  if (!uuids || std::erase(*uuids, uuid) == 0) return;
  if (uuids->empty()) {
    ::unlink(path_of(volume_id).c_str());
  } else {
    static_cast<void>(write(path_of(volume_id), *uuids));
  }
}

Result<void> FormatRecords::begin(const std::string& volume_id, const std::string& unique_id,
                                  const std::string& uuid) const {
  auto added = append(volume_id, {kBegun + unique_id, uuid});
  if (!added || directory_.empty()) return added;
  for (const std::string& path : {path_of(volume_id), directory_}) {
    const FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    const auto error = opened ? error_unless(::fsync(opened.get()) == 0) : opened.error();
    if (error) return Error(StatusCode::kUnknown, kRemember, path).because(error);
  }
  return {};
}

Result<bool> FormatRecords::is_begun(const std::string& volume_id,
                                     const std::string& unique_id) const {
  return contains(volume_id, kBegun + unique_id);
}

void FormatRecords::end(const std::string& volume_id, const std::string& unique_id) const {
  remove(volume_id, kBegun + unique_id);
}

// Written beside it and renamed, so that the record is old or new. It is not flushed: it is there
// for callers who repeat a call because the agent was killed; one that a power failure took away
// makes FormatVolume refuse a volume that is formatted already.
Result<void> FormatRecords::write(const std::string& path,
                                  const std::vector<std::string>& uuids) const {
  const auto failed = [&](const std::error_code& error) {
    return Error(StatusCode::kUnknown, kRemember, path).because(error);
  };
  std::string text;
  for (const std::string& uuid : uuids) text += uuid + "\n";
  const std::string fresh = path + ".new";
  {
    const FileDescriptor file(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failed(file.error());
    if (const auto error = write_all(file.get(), text)) return failed(error);
  }
  const auto error = error_unless(::rename(fresh.c_str(), path.c_str()) == 0);
  return error ? failed(error) : Result<void>();
}

}  // namespace longshore::volume
