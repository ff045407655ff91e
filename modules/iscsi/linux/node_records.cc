#include "iscsi/linux/node_records.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>

#include "iscsi/ip_address.h"
#include "iscsi/linux/database_lock.h"
#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/block/sysfs.h"

namespace longshore::iscsi {

using support::Secret;

namespace {

constexpr size_t kLargestRecord = size_t{1} << 16;
constexpr const char* kRead = "read open-iscsi's record";
constexpr const char* kWrite = "write open-iscsi's record";

Error failed(const char* operation, const std::string& path, const std::error_code& error) {
  return Error(StatusCode::kUnknown, operation, path).because(error);
}

// "192.0.2.1,3260" and, in `rest`, whatever follows a second comma.
std::optional<Portal> portal_in(std::string_view name, std::string_view& rest) {
  const size_t comma = name.find(',');
  if (comma == 0 || comma == name.npos) return std::nullopt;
  const std::string_view port = name.substr(comma + 1);
  Portal portal{std::string(name.substr(0, comma)), 0};
  const auto read = std::from_chars(port.data(), port.data() + port.size(), portal.port);
  if (read.ec != std::errc() || portal.port == 0) return std::nullopt;
  rest = port.substr(static_cast<size_t>(read.ptr - port.data()));
  portal.address = canonical_ip_address(portal.address).value_or(portal.address);
  return portal;
}

// Through a buffer of its own, because a record may hold secrets.
Result<Secret> read_record(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return failed(kRead, path, file.error());
  Secret text;
  std::array<char, 4096> buffer{};
  ssize_t size = 0;
  while ((size = ::read(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append({buffer.data(), static_cast<size_t>(size)});
    if (text.text().size() > kLargestRecord) break;
  }
  const std::error_code error = error_unless(size >= 0);
  ::explicit_bzero(buffer.data(), buffer.size());
  if (error) return failed(kRead, path, error);
  if (text.text().size() > kLargestRecord) {
    return Error(StatusCode::kFailedPrecondition, kRead, path).because("it is far too large");
  }
  return text;
}

std::error_code flush_folder_of(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/'));
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened ? error_unless(::fsync(opened.get()) == 0) : opened.error();
}

}  // namespace

std::string NodeRecords::folder() const {
  if (!folder_.empty()) return folder_;
  return place_of_database({"/var/lib/iscsi", "/etc/iscsi"});
}

std::string NodeRecords::place_of_database(const std::vector<std::string>& places) {
  const auto exists = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
  auto found = std::ranges::find_if(places, [&](const std::string& place) {
    return exists(place + "/nodes") || exists(place + "/send_targets");
  });
  if (found == places.end()) found = std::ranges::find_if(places, exists);
  return found == places.end() ? places.back() : *found;
}

std::vector<Portal> NodeRecords::portals() const {
  std::vector<Portal> portals;
  for (const std::string& name : block::names_in(folder() + "/send_targets")) {
    std::string_view rest;
    auto portal = portal_in(name, rest);
    if (!portal || !rest.empty() || std::ranges::find(portals, *portal) != portals.end()) continue;
    // A folder without this file is what is left of a portal that was removed.
    std::string path = folder() + "/send_targets/";
    path.append(name).append("/st_config");
    if (::access(path.c_str(), F_OK) == 0) portals.push_back(*std::move(portal));
  }
  return portals;
}

bool NodeRecords::knows(const Portal& portal) const {
  const std::vector<Portal> known = portals();
  return std::ranges::find(known, portal) != known.end();
}

std::vector<NodeRecord> NodeRecords::records_of(const std::string& target, uint16_t port) const {
  std::vector<NodeRecord> found;
  const std::string records = folder() + "/nodes/" + target + "/";
  for (const std::string& name : block::names_in(records)) {
    std::string_view group;
    auto portal = portal_in(name, group);
    if (!portal || !group.starts_with(',') || portal->port != port) continue;
    std::string path = records + name + "/default";
    if (::access(path.c_str(), F_OK) == 0) found.push_back({*std::move(portal), std::move(path)});
  }
  return found;
}

std::vector<NodeRecord> NodeRecords::find(const std::string& target,
                                          const std::vector<std::string>& addresses,
                                          uint16_t port) const {
  std::vector<NodeRecord> found = records_of(target, port);
  std::erase_if(found, [&](const NodeRecord& record) {
    return std::ranges::find(addresses, record.portal.address) == addresses.end();
  });
  return found;
}

Result<void> NodeRecords::remove_broken(const std::string& target,
                                        const std::vector<std::string>& addresses,
                                        uint16_t port) const {
  const auto is_broken = [](const NodeRecord& record) {
    const Result<Secret> text = read_record(record.path);
    return text && !is_whole_record(text->text());
  };
  if (std::ranges::none_of(find(target, addresses, port), is_broken)) return {};
  // Without the lock it may be one that open-iscsi is just writing.
  const Result<DatabaseLock> lock = DatabaseLock::take(lock_folder_, patience_);
  if (!lock) return lock.error();
  for (const NodeRecord& record : find(target, addresses, port)) {
    if (!is_broken(record)) continue;
    const std::error_code error = error_unless(::unlink(record.path.c_str()) == 0);
    if (!error || error == std::errc::no_such_file_or_directory) continue;
    return failed("remove the broken record", record.path, error);
  }
  return {};
}

std::vector<std::string> NodeRecords::addresses_through(const Portal& portal,
                                                        const std::string& target) const {
  std::vector<std::string> addresses;
  for (const NodeRecord& record : records_of(target, portal.port)) {
    const Result<Secret> text = read_record(record.path);
    if (text && has_portal_mark(text->text(), portal.text())) {
      addresses.push_back(record.portal.address);
    }
  }
  return addresses;
}

Result<void> NodeRecords::write(const NodeRecord& record, const Portal& through,
                                const std::vector<RecordSetting>& settings,
                                bool has_secrets) const {
  const Result<DatabaseLock> lock = DatabaseLock::take(lock_folder_, patience_);
  if (!lock) return lock.error();
  const Result<Secret> old = read_record(record.path);
  if (!old && old.error().code() == StatusCode::kNotFound) {
    return Error(StatusCode::kUnavailable, kWrite, record.path)
        .because("it was removed just now, by itself or with its portal")
        .advise("repeat the call");
  }
  if (!old) return old.error();
  const Secret marked = with_portal_mark(old->text(), through.text());
  const Secret changed = change_record(marked.text(), settings);
  const Secret complete =
      has_secrets ? with_secrets_mark(changed.text()) : without_secrets(changed.text(), {});
  if (complete.text() == old->text()) return {};
  return replace(record.path, complete.text(), Flushing::kNone);
}

Result<void> NodeRecords::forget_secrets(const NodeRecord& record,
                                         const std::vector<std::string_view>& ours) const {
  const Result<Secret> text = read_record(record.path);
  if (!text && text.error().code() == StatusCode::kNotFound) return {};
  // Without the lock the text may be half of what open-iscsi is writing.
  if (text && ours.empty() && !has_secrets_mark(text->text())) return {};
  const Result<DatabaseLock> lock = DatabaseLock::take(lock_folder_, patience_);
  if (!lock) return lock.error();
  return forget_secrets_locked(record.path, ours);
}

Result<void> NodeRecords::forget_secrets_locked(const std::string& path,
                                                const std::vector<std::string_view>& ours) const {
  const Result<Secret> old = read_record(path);
  if (!old && old.error().code() == StatusCode::kNotFound) return {};
  if (!old) return old.error();
  const Secret clean = without_secrets(old->text(), ours);
  if (clean.text() == old->text()) return {};
  return replace(path, clean.text(), Flushing::kAll);
}

// Nobody sees half a record. The new one is made beside the database: every file in a record's own
// folder is a record to open-iscsi.
Result<void> NodeRecords::replace(const std::string& path, std::string_view text,
                                  Flushing flushing) const {
  const bool flushes = flushing == Flushing::kAll;
  const std::string fresh = fresh_file();
  ::unlink(fresh.c_str());
  {
    const FileDescriptor file(
        ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failed(kWrite, fresh, file.error());
    std::error_code error = write_all(file.get(), text);
    if (!error && flushes) error = error_unless(::fsync(file.get()) == 0);
    if (error) {
      ::unlink(fresh.c_str());
      return failed(kWrite, fresh, error);
    }
  }
  if (const std::error_code error = error_unless(::rename(fresh.c_str(), path.c_str()) == 0)) {
    ::unlink(fresh.c_str());
    return failed(kWrite, path, error);
  }
  const std::error_code error = flushes ? flush_folder_of(path) : std::error_code();
  return error ? failed(kWrite, path, error) : Result<void>();
}

Result<void> NodeRecords::free_lock() const {
  const Result<DatabaseLock> lock = DatabaseLock::take(lock_folder_, patience_);
  if (!lock) return lock.error();
  return {};
}

std::vector<std::string> NodeRecords::record_files() const {
  std::vector<std::string> files;
  const std::string nodes = folder() + "/nodes/";
  for (const std::string& target : block::names_in(nodes)) {
    for (const std::string& portal : block::names_in(nodes + target)) {
      std::string path = nodes + target;
      path.append("/").append(portal).append("/default");
      if (::access(path.c_str(), F_OK) == 0) files.push_back(std::move(path));
    }
  }
  return files;
}

bool NodeRecords::has_leftovers() const {
  if (::access(fresh_file().c_str(), F_OK) == 0 || DatabaseLock::is_of_agent(lock_folder_)) {
    return true;
  }
  const std::vector<std::string> files = record_files();
  return std::ranges::any_of(files, [](const std::string& path) {
    const Result<Secret> text = read_record(path);
    return !text || has_secrets_mark(text->text());  // what cannot be read is told later
  });
}

Result<void> NodeRecords::remove_leftovers() const {
  if (!has_leftovers()) return {};
  const Result<DatabaseLock> lock = DatabaseLock::take(lock_folder_, patience_);
  if (!lock) return lock.error();
  ::unlink(fresh_file().c_str());
  for (const std::string& path : record_files()) {
    if (Result<void> forgotten = forget_secrets_locked(path, {}); !forgotten) return forgotten;
  }
  return {};
}

}  // namespace longshore::iscsi
