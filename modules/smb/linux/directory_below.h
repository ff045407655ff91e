// A directory of a share, looked for without following the links that lie in the share.
#pragma once

#include <string>
#include <system_error>

namespace longshore::smb {

// Whether there is a directory `below` ("a/b") the one at `root`, and if not, why.
std::error_code find_directory(const std::string& root, const std::string& below);

}  // namespace longshore::smb
