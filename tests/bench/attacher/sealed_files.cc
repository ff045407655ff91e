#include "tests/bench/attacher/sealed_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace longshore::bench {
namespace {

using KibByInode = std::map<ino_t, long>;

KibByInode held(const std::string& process) {
  KibByInode files;
  std::error_code gone;
  for (const auto& each : std::filesystem::directory_iterator(process + "/fd", gone)) {
    struct stat status {};
    const std::string target = std::filesystem::read_symlink(each.path(), gone);
    if (target.starts_with("/memfd:") && ::stat(each.path().c_str(), &status) == 0) {
      files[status.st_ino] = status.st_blocks / 2;
    }
  }
  return files;
}

// Pages that were written to are the process's own and no longer the file's.
KibByInode mapped(const std::string& process) {
  KibByInode files;
  std::ifstream maps(process + "/smaps");
  ino_t inode = 0;  // of the mapping that is told of; 0: of no such file
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string first, permissions, offset, device, path;
    words >> first;
    if (first == "Rss:" || first == "Anonymous:") {
      long kib = 0;
      words >> kib;
      if (inode != 0) files[inode] += first == "Rss:" ? kib : -kib;
    } else if (!first.ends_with(':')) {
      words >> permissions >> offset >> device >> inode >> path;
      if (!path.starts_with("/memfd:")) inode = 0;
    }
  }
  return files;
}

}  // namespace

size_t unmapped_kib(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process);
  KibByInode in_use = mapped(folder);
  long sum = 0;
  for (const auto& [inode, kib] : held(folder)) sum += std::max(0L, kib - in_use[inode]);
  return static_cast<size_t>(sum);
}

}  // namespace longshore::bench
