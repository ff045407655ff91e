#include "smb/windows/link_records.h"

#include <windows.h>

#include <algorithm>
#include <fstream>

#include "longshore/windows/handle.hpp"
#include "longshore/windows/wide_text.hpp"
#include "support/ascii.h"

namespace longshore::smb {
namespace {

// A share may be called what no file can be.
std::string file_name_part(const std::string& name) {
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  std::string part;
  for (const char c : name) {
    if (support::is_letter(c) || support::is_digit(c) || c == '-' || c == '_') {
      part += c;
    } else {
      part += '%';
      part += kHexadecimal[static_cast<unsigned char>(c) >> 4];
      part += kHexadecimal[static_cast<unsigned char>(c) & 15];
    }
  }
  return part;
}

Error records_failure(const char* operation, const std::filesystem::path& file,
                      const std::error_code& error) {
  return Error(StatusCode::kUnknown, operation, narrow(file.wstring())).because(error);
}

// All of it is on the disk, or none.
std::error_code replace_file(const std::filesystem::path& file, const std::string& text) {
  const std::wstring next = file.wstring() + L".new";
  {
    const Handle opened(CreateFileW(next.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_ALWAYS,
                                    FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!opened) return opened.error();
    if (const auto error = write_all(opened.get(), text)) return error;
    if (const auto error = error_unless(FlushFileBuffers(opened.get()) != FALSE)) return error;
  }
  return error_unless(MoveFileExW(next.c_str(), file.c_str(),
                                  MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != FALSE);
}

}  // namespace

LinkRecords::LinkRecords(const std::string& directory) : directory_(wide(directory)) {}

std::filesystem::path LinkRecords::file_of(const RemotePath& remote) const {
  return directory_ / wide("links-to-" + file_name_part(remote.host()) + "+" +
                           file_name_part(remote.share()) + ".txt");
}

Result<std::vector<std::string>> LinkRecords::links_to(const RemotePath& remote) const {
  if (directory_.empty()) {
    const std::lock_guard lock(mutex_);
    const auto found = in_memory_.find(remote.mapping());
    return found == in_memory_.end() ? std::vector<std::string>() : found->second;
  }
  const std::filesystem::path path = file_of(remote);
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file) {
    if (!std::filesystem::exists(path, error) && !error) return std::vector<std::string>();
    if (!error) error = std::make_error_code(std::errc::io_error);
    return records_failure("read the links to the share", path, error);
  }
  std::vector<std::string> links;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) links.push_back(line);
  }
  if (file.bad()) {
    return records_failure("read the links to the share", path,
                           std::make_error_code(std::errc::io_error));
  }
  return links;
}

Result<void> LinkRecords::add(const RemotePath& remote, const std::string& link) {
  Result<std::vector<std::string>> links = links_to(remote);
  if (!links) return std::move(links).error();
  if (std::ranges::find(*links, link) != links->end()) return {};
  links->push_back(link);
  return write(remote, *links);
}

Result<void> LinkRecords::forget(const RemotePath& remote, const std::vector<std::string>& links) {
  if (links.empty()) return {};
  Result<std::vector<std::string>> kept = links_to(remote);
  if (!kept) return std::move(kept).error();
  std::erase_if(*kept, [&](const std::string& each) {
    return std::ranges::find(links, each) != links.end();
  });
  return write(remote, *kept);
}

Result<void> LinkRecords::write(const RemotePath& remote, const std::vector<std::string>& links) {
  if (directory_.empty()) {
    const std::lock_guard lock(mutex_);
    in_memory_[remote.mapping()] = links;
    return {};
  }
  const std::filesystem::path path = file_of(remote);
  std::error_code error;
  if (links.empty()) {
    error = error_unless(DeleteFileW(path.c_str()) != FALSE);
    if (!error || error.value() == ERROR_FILE_NOT_FOUND) return {};
    return records_failure("forget the links to the share", path, error);
  }
  std::string text;
  for (const std::string& link : links) text += link + "\n";
  std::filesystem::create_directories(directory_, error);
  if (!error) error = replace_file(path, text);
  if (error) return records_failure("record the link to the share", path, error);
  return {};
}

}  // namespace longshore::smb
