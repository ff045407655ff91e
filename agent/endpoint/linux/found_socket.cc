#include "endpoint/linux/found_socket.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <utility>

namespace longshore::endpoint {

Error cannot_listen(const std::string& path, StatusCode code) {
  return Error(code, "listen on the socket", path);
}

FileDescriptor look_up(const files::TrustedFolder& folder, const std::string& name) {
  return FileDescriptor(openat(folder.descriptor(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

Result<FileDescriptor> find_socket(const files::TrustedFolder& folder, const std::string& name,
                                   const std::string& path) {
  FileDescriptor found = look_up(folder, name);
  struct stat status {};
  const std::error_code error =
      found ? error_unless(fstat(found.get(), &status) == 0) : found.error();
  if (error == std::errc::no_such_file_or_directory) return FileDescriptor();
  if (error) return cannot_listen(path).because(error);
  if (S_ISSOCK(status.st_mode)) return found;
  return cannot_listen(path, StatusCode::kFailedPrecondition)
      .because(S_ISLNK(status.st_mode) ? "there is a link, which is not followed"
                                       : "there is something that is not a socket")
      .advise("remove it if nobody needs it");
}

}  // namespace longshore::endpoint
