// What Windows' codes mean when a share is mapped or looked at.
//
// Threads: plain functions.
#pragma once

#include <windows.h>

#include "longshore/result.hpp"
#include "smb/remote_path.h"

namespace longshore::smb {

// Why the share cannot be mapped.
Error share_failure(const RemotePath& remote, DWORD code);

// Why what lies below the share cannot be found.
Error failure_below(const RemotePath& remote, DWORD code);

// Whether the code says that the server is away; its mappings come back by themselves.
bool is_unreachable(DWORD code);

// Whether the code says that there is a mapping in the way.
bool is_mapped_already(DWORD code);

}  // namespace longshore::smb
