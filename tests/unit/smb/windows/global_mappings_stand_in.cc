#include "tests/unit/smb/windows/global_mappings_stand_in.h"

#include <windows.h>

#include <utility>

#include "longshore/windows/wide_text.hpp"
#include "support/windows/file_error.h"

namespace longshore::smb {

WindowsCode GlobalMappingsStandIn::look_at(const std::string& named) {
  const std::lock_guard lock(mutex_);
  // With a backslash at its end it is the same, as in the links that lead to it.
  const std::string path = named.substr(0, named.find_last_not_of('\\') + 1);
  if (!server.answers) return ERROR_BAD_NETPATH;
  const auto mapping = mappings.find(root_);
  if (mapping == mappings.end()) return ERROR_LOGON_FAILURE;
  if (mapping->second.password != server.password) return ERROR_LOGON_FAILURE;
  if (path == root_) return ERROR_SUCCESS;
  return path.starts_with(root_ + "\\") &&
                 server.directories.contains(path.substr(root_.size() + 1))
             ? ERROR_SUCCESS
             : ERROR_FILE_NOT_FOUND;
}

Result<std::optional<MappingStatus>> GlobalMappingsStandIn::status(const std::string& root,
                                                                   const Deadline&) {
  const std::lock_guard lock(mutex_);
  if (error) return *error;
  const auto found = mappings.find(root);
  return found == mappings.end() ? std::optional<MappingStatus>()
                                 : std::optional(found->second.status);
}

Result<WindowsCode> GlobalMappingsStandIn::create(const std::string& root,
                                                  const Credentials& credentials,
                                                  bool require_privacy, const Deadline&) {
  const std::lock_guard lock(mutex_);
  done.push_back("create");
  if (create_code) return *std::exchange(create_code, std::nullopt);
  if (mappings.contains(root)) return WindowsCode{ERROR_SESSION_CREDENTIAL_CONFLICT};
  if (!server.answers) return WindowsCode{ERROR_BAD_NETPATH};
  if (credentials.user() != server.user || credentials.password() != server.password) {
    return WindowsCode{ERROR_LOGON_FAILURE};
  }
  if (root != root_) return WindowsCode{ERROR_BAD_NET_NAME};
  mappings[root] = {MappingStatus::kOk, credentials.user(), credentials.password(),
                    require_privacy};
  return WindowsCode{ERROR_SUCCESS};
}

Result<WindowsCode> GlobalMappingsStandIn::remove(const std::string& root, const Deadline&) {
  const std::lock_guard lock(mutex_);
  done.push_back("remove");
  if (remove_code) return *remove_code;
  return mappings.erase(root) != 0 ? WindowsCode{ERROR_SUCCESS} : WindowsCode{ERROR_NOT_CONNECTED};
}

bool FilesStandIn::exists(const std::wstring& path, std::error_code& error) {
  const WindowsCode code = mappings_.look_at(narrow(path));
  error = code == ERROR_SUCCESS || code == ERROR_FILE_NOT_FOUND ? std::error_code()
                                                                : support::windows_error(code);
  return code == ERROR_SUCCESS;
}

}  // namespace longshore::smb
