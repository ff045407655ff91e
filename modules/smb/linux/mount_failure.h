// What the kernel's answers mean when a share cannot be mapped, and what to do about them.
#pragma once

#include <string>
#include <system_error>

#include "longshore/result.hpp"
#include "smb/remote_path.h"

namespace longshore::smb {

// What errors of a mapping say was tried.
inline constexpr const char* kMapOperation = "map the share";

// The error of a share that could not be mounted. `is_nobody`: no user name was given.
Error mount_failure(const RemotePath& share, const std::error_code& error, bool is_nobody);

// The error of a directory of a mapped share that cannot be opened.
Error failure_below(const RemotePath& remote, const std::error_code& error);

// Whether the answer says nothing of the server at another address: that it was not reached.
bool is_unreachable(const std::error_code& error);

// Whether the answer may be about an old connection only, so that a fresh one may do better.
bool is_of_connection(const std::error_code& error);

}  // namespace longshore::smb
