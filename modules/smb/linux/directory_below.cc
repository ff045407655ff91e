#include "smb/linux/directory_below.h"

#include <fcntl.h>

#include "support/linux/rooted_opener.h"

namespace longshore::smb {

std::error_code find_directory(const std::string& root, const std::string& below) {
  const FileDescriptor opened(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened) return opened.error();
  return support::open_unfollowed(opened, below, O_PATH | O_DIRECTORY).error();
}

}  // namespace longshore::smb
