#include "main/socket_folder.h"

#include <filesystem>
#include <system_error>

namespace longshore {

Result<void> check_socket_folder(const std::string& socket) {
  const std::string folder = std::filesystem::path(socket).parent_path().string();
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return {};
  return Error(StatusCode::kNotFound, "listen on the socket", socket)
      .because("there is no folder " + folder)
      .advise("see whether it is mounted, or give the socket another path");
}

}  // namespace longshore
