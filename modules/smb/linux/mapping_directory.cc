#include "smb/linux/mapping_directory.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "longshore/linux/file_descriptor.hpp"
#include "support/linux/directory_reader.h"

namespace longshore::smb {

namespace {

constexpr const char* kMake = "make for a share's mounts";
constexpr const char* kLook = "look for a share's mounts and links in";
constexpr int kMaxRounds = 10;

Result<std::string> read_link(const std::string& path) {
  char text[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), text, sizeof(text));
  if (const std::error_code error = error_unless(size >= 0)) {
    return Error(StatusCode::kUnknown, kLook, path).because(error);
  }
  return std::string(text, static_cast<size_t>(size));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

uint64_t next_number(const std::vector<std::string>& names) {
  uint64_t last = 0;
  for (const std::string& name : names) {
    uint64_t number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    last = std::max(last, number);
  }
  return last + 1;
}

Result<void> make_directory(const std::string& path) {
  const std::error_code error = error_unless(::mkdir(path.c_str(), 0700) == 0);
  if (!error || error == std::errc::file_exists) return {};
  return Error(StatusCode::kUnknown, kMake, path).because(error);
}

// What others may change is no place for mounts of the whole node.
Result<void> check_own(const std::string& directory) {
  struct stat status {};
  if (const std::error_code error = error_unless(::lstat(directory.c_str(), &status) == 0)) {
    return Error(StatusCode::kUnknown, kMake, directory).because(error);
  }
  if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && (status.st_mode & 022) == 0) {
    return {};
  }
  return Error(StatusCode::kFailedPrecondition, kMake, directory)
      .because("it is no directory that only the agent's user may change")
      .advise("the option mappings_directory of the module says where it is");
}

// The kernel names mounts by the path without links, and that is how they are found again.
Result<void> check_linkless(const std::string& directory) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(directory.c_str(), nullptr),
                                                      &::free);
  if (const std::error_code error = error_unless(real != nullptr)) {
    return Error(StatusCode::kUnknown, kMake, directory).because(error);
  }
  if (directory == real.get()) return {};
  return Error(StatusCode::kFailedPrecondition, kMake, directory)
      .because("there is a link in this path")
      .advise("set the option mappings_directory of the module to \"" + std::string(real.get()) +
              "\"");
}

}  // namespace

MappingDirectory::MappingDirectory(const support::PosixPath& mappings_directory,
                                   const RemotePath& share)
    : root_(mappings_directory.text()),
      host_directory_(root_ + "/" + share.host()),
      path_(host_directory_ + "/" + share.share()),
      current_(path_ + "/current"),
      links_(path_ + "/links") {}

std::string MappingDirectory::target_of(const RemotePath& remote) const {
  return remote.below().empty() ? current_ : current_ + "/" + remote.below();
}

std::optional<std::string> MappingDirectory::remote_path_in(
    std::string_view target, const support::PosixPath& mappings_directory) {
  const std::string root = mappings_directory.text() + "/";
  if (!target.starts_with(root)) return std::nullopt;
  const auto names = support::path_names(target.substr(root.size()));
  if (names.size() < 3 || names[2] != "current") return std::nullopt;
  std::string remote = "//" + std::string(names[0]) + "/" + std::string(names[1]);
  for (size_t i = 3; i < names.size(); ++i) remote.append("/").append(names[i]);
  return remote;
}

bool MappingDirectory::holds(const std::string& target) const {
  return support::is_within(target, current_);
}

std::optional<std::string> MappingDirectory::current() const {
  const Result<std::string> name = read_link(current_);
  if (!name || !is_number(*name)) return std::nullopt;
  return path_ + "/" + *name;
}

Result<std::string> MappingDirectory::add_place() const {
  if (Result<void> made = make(); !made) return std::move(made).error();
  const auto names = numbers_in(path_);
  if (!names) return names.error();
  std::string place = path_ + "/" + std::to_string(next_number(*names));
  const std::error_code error = error_unless(::mkdir(place.c_str(), 0700) == 0);
  if (!error) return place;
  return Error(StatusCode::kUnknown, kMake, place).because(error);
}

Result<void> MappingDirectory::turn_to(const std::string& place) const {
  const std::string fresh = current_ + ".new";
  ::unlink(fresh.c_str());
  const std::string name = place.substr(place.rfind('/') + 1);
  std::error_code error = error_unless(::symlink(name.c_str(), fresh.c_str()) == 0);
  if (!error) error = error_unless(::rename(fresh.c_str(), current_.c_str()) == 0);
  if (!error) return {};
  return Error(StatusCode::kUnknown, kMake, current_).because(error);
}

Result<void> MappingDirectory::remove_current() const {
  ::unlink((current_ + ".new").c_str());
  const std::error_code error = error_unless(::unlink(current_.c_str()) == 0);
  if (!error || error == std::errc::no_such_file_or_directory ||
      error == std::errc::not_a_directory) {
    return {};
  }
  return Error(StatusCode::kUnknown, "remove", current_).because(error);
}

Result<std::vector<std::string>> MappingDirectory::places() const {
  Result<std::vector<std::string>> places = numbers_in(path_);
  if (!places) return places;
  for (std::string& place : *places) place.insert(0, path_ + "/");
  return places;
}

Result<std::vector<std::string>> MappingDirectory::recorded_links() const {
  auto names = numbers_in(links_);
  if (!names) return names;
  std::vector<std::string> paths;
  for (const std::string& name : *names) {
    Result<std::string> path = read_link(links_ + "/" + name);
    if (path) {
      if (std::ranges::find(paths, *path) == paths.end()) paths.push_back(*std::move(path));
    } else if (path.error().system() != std::errc::no_such_file_or_directory &&
               path.error().system() != std::errc::invalid_argument) {
      return std::move(path).error();
    }
  }
  return paths;
}

Result<void> MappingDirectory::record_link(const std::string& local_path) const {
  const auto recorded = recorded_links();
  if (!recorded) return recorded.error();
  if (std::ranges::count(*recorded, local_path) != 0) return {};
  if (Result<void> made = make(); !made) return made;
  if (Result<void> made = make_directory(links_); !made) return made;
  const auto names = numbers_in(links_);
  if (!names) return names.error();
  const std::string record = links_ + "/" + std::to_string(next_number(*names));
  const std::error_code error = error_unless(::symlink(local_path.c_str(), record.c_str()) == 0);
  if (!error) return {};
  return Error(StatusCode::kUnknown, "remember the link in", record).because(error);
}

Result<void> MappingDirectory::forget_link(const std::string& local_path) const {
  const auto names = numbers_in(links_);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const std::string record = links_ + "/" + name;
    const Result<std::string> recorded = read_link(record);
    if (recorded && *recorded == local_path) ::unlink(record.c_str());
  }
  return {};
}

void MappingDirectory::remove_if_unused() const {
  if (const auto left = places()) {
    for (const std::string& place : *left) ::rmdir(place.c_str());
  }
  ::rmdir(links_.c_str());
  ::rmdir(path_.c_str());
  ::rmdir(host_directory_.c_str());
}

Result<std::vector<std::string>> MappingDirectory::numbers_in(const std::string& directory) const {
  std::vector<std::string> names;
  FileDescriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (opened.error() == std::errc::no_such_file_or_directory) return names;
  if (!opened) return Error(StatusCode::kUnknown, kLook, directory).because(opened.error());
  support::DirectoryReader reader(std::move(opened));
  while (const auto entry = reader.next()) {
    if (is_number(entry->name)) names.emplace_back(entry->name);
  }
  if (reader.error()) return Error(StatusCode::kUnknown, kLook, directory).because(reader.error());
  return names;
}

Result<void> MappingDirectory::make() const {
  if (Result<void> made = make_directory(root_); !made) return made;
  if (Result<void> own = check_own(root_); !own) return own;
  if (Result<void> linkless = check_linkless(root_); !linkless) return linkless;
  // Whoever takes another share of the host away at this moment removes the host's directory.
  for (int round = 1;; ++round) {
    if (Result<void> made = make_directory(host_directory_); !made) return made;
    Result<void> made = make_directory(path_);
    if (made || made.error().code() != StatusCode::kNotFound || round == kMaxRounds) return made;
  }
}

}  // namespace longshore::smb
