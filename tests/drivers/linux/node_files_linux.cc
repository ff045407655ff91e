#include "tests/drivers/linux/node_files_linux.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "support/linux/mount_table.h"
#include "tests/support/read_file.h"
#include "tests/support/require.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {

namespace fs = std::filesystem;

bool LinuxFiles::exists(const std::string& path) {
  return fs::symlink_status(path).type() != fs::file_type::not_found;
}

std::optional<std::string> LinuxFiles::link_text(const std::string& path) {
  std::error_code error;
  const fs::path text = fs::read_symlink(path, error);
  return error ? std::nullopt : std::optional(text.string());
}

bool LinuxFiles::is_mount_point(const std::string& path) {
  const auto mounts = support::read_mounts();
  if (!mounts) throw std::runtime_error(mounts.error().message());
  return std::ranges::any_of(*mounts,
                             [&](const support::Mount& mount) { return mount.point == path; });
}

bool LinuxFiles::is_directory(const std::string& path) { return fs::is_directory(path); }

bool LinuxFiles::can_be_listed(const std::string& path) {
  std::error_code error;
  const fs::directory_iterator first(path, error);
  return !error;
}

bool LinuxFiles::is_empty(const std::string& directory) { return fs::is_empty(directory); }

std::string LinuxFiles::read(const std::string& path) { return read_file(path); }

int64_t LinuxFiles::filesystem_bytes(const std::string& path) {
  struct statvfs figures {};
  require(::statvfs(path.c_str(), &figures) == 0, "statvfs");
  return static_cast<int64_t>(figures.f_blocks * figures.f_frsize);
}

void LinuxFiles::make_directories(const std::string& path) { fs::create_directories(path); }

void LinuxFiles::write(const std::string& path, const std::string& text) { write_file(path, text); }

bool LinuxFiles::remove(const std::string& path) { return fs::remove(path); }

}  // namespace longshore::test
