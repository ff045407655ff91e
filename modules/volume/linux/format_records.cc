#include "volume/linux/format_records.h"

#include <fcntl.h>

#include <cstdio>
#include <fstream>

#include "support/linux/file_descriptor.h"

namespace longshore::volume {

using support::FileDescriptor;
using support::last_error;

// Ids have no slash: "format-PARTUUID=...".
std::string FormatRecords::path_of(const std::string& volume_id) const {
  return directory_ + "/format-" + volume_id;
}

std::optional<std::string> FormatRecords::find(const std::string& volume_id) const {
  if (directory_.empty()) return std::nullopt;
  std::ifstream file(path_of(volume_id));
  std::string uuid;
  if (!std::getline(file, uuid) || file.eof() || uuid.empty()) return std::nullopt;
  return uuid;
}

Result<void> FormatRecords::set(const std::string& volume_id, const std::string& uuid) const {
  if (directory_.empty()) return {};
  const std::string path = path_of(volume_id);
  const std::string text = uuid + "\n";
  const auto failed = [&] {
    return Error(StatusCode::kUnknown, "remember the formatting in", path).because(last_error());
  };
  // Written beside it and renamed, so that the record is old or new. It is not flushed: it is there
  // for callers who repeat a call because the agent was killed; one that a power failure took away
  // makes FormatVolume refuse a volume that is formatted already.
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

void FormatRecords::remove(const std::string& volume_id) const {
  if (!directory_.empty()) ::unlink(path_of(volume_id).c_str());
}

}  // namespace longshore::volume
