#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "files/linux/trusted_folder.h"
#include "main/crash_log.h"

namespace longshore {

int open_crash_log(const config::LogSettings& settings) {
  if (settings.file.empty()) return STDERR_FILENO;
  const std::filesystem::path path(settings.file);
  const auto folder = files::TrustedFolder::open(path.parent_path().string());
  if (!folder) return -1;
  auto file = folder->open_file(path.filename().string(), O_WRONLY | O_APPEND);
  return file ? file->release() : -1;
}

}  // namespace longshore
