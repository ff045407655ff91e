// A path as this node writes it: /var/lib/kubelet on Linux, C:\var\lib\kubelet on Windows.
//
// What the groups mean is the same for both; what is a path, how it is spelled and what lies
// beneath what is the node's matter. Both classes have the same functions.
#pragma once

#if defined(_WIN32)
#include "support/windows/windows_path.h"
#else
#include "support/posix_path.h"
#endif

namespace longshore::support {

#if defined(_WIN32)
using Path = WindowsPath;
#else
using Path = PosixPath;
#endif

}  // namespace longshore::support
