#include "volume/linux/format_records.h"

#include <fcntl.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>

#include "support/linux/file_descriptor.h"

namespace longshore::volume {

using support::FileDescriptor;
using support::last_error;

namespace {

constexpr std::string_view kBegun = "begun ";
constexpr std::string_view kDone = "done ";

}  // namespace

// Ids have no slash: "format-PARTUUID=...".
std::string FormatRecords::path_of(const std::string& volume_id) const {
  return directory_ + "/format-" + volume_id;
}

std::optional<FormatRecord> FormatRecords::find(const std::string& volume_id) const {
  if (directory_.empty()) return std::nullopt;
  std::ifstream file(path_of(volume_id));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const std::string_view state : {kBegun, kDone}) {
    if (!text.starts_with(state) || !text.ends_with('\n')) continue;
    return FormatRecord{state == kDone, text.substr(state.size(), text.size() - state.size() - 1)};
  }
  return std::nullopt;
}

Result<void> FormatRecords::set(const std::string& volume_id, const FormatRecord& record) const {
  if (directory_.empty()) return {};
  const std::string path = path_of(volume_id);
  const std::string text = std::string(record.is_done ? kDone : kBegun) + record.uuid + "\n";
  const auto failed = [&] {
    return Error(StatusCode::kUnknown, "remember the formatting in", path).because(last_error());
  };
  // Written beside it and renamed, so that a crash leaves the old record or the new one.
  const std::string fresh = path + ".new";
  {
    const FileDescriptor file(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file ||
        ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
        ::fsync(file.get()) != 0) {
      return failed();
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return failed();
  const FileDescriptor directory(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory || ::fsync(directory.get()) != 0) return failed();
  return {};
}

void FormatRecords::remove(const std::string& volume_id) const {
  if (!directory_.empty()) ::unlink(path_of(volume_id).c_str());
}

}  // namespace longshore::volume
