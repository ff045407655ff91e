// How Windows writes the paths of shares.
//
// Threads: plain functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "smb/remote_path.h"

namespace longshore::smb {

// `\\host\share`, in small letters: what a global mapping is of. An IPv6 address is written as
// Windows wants it there, "fe80--1.ipv6-literal.net".
std::string mapping_root(const RemotePath& remote);

// `\\host\share\a\b`.
std::string share_path(const RemotePath& remote);

// What the text of a link to a share means, `\\host\share\a\` or `\\?\UNC\host\share\a\`, as a
// remote path. Nothing for what is no path of a share.
std::optional<RemotePath> remote_path_of_link(std::string_view text);

}  // namespace longshore::smb
