// What has the name of a socket in its folder.
//
// Threads: any; plain functions.
#pragma once

#include <string>

#include "files/linux/trusted_folder.h"
#include "longshore/linux/file_descriptor.hpp"
#include "longshore/result.hpp"

namespace longshore::endpoint {

// "cannot listen on the socket PATH".
Error cannot_listen(const std::string& path, StatusCode code = StatusCode::kUnknown);

// By an O_PATH descriptor, never through a link; without one, its error() says why.
FileDescriptor look_up(const files::TrustedFolder& folder, const std::string& name);

// The socket that is there, by such a descriptor; none where nothing has the name. An error where
// something else has it; `path` is for the message.
Result<FileDescriptor> find_socket(const files::TrustedFolder& folder, const std::string& name,
                                   const std::string& path);

}  // namespace longshore::endpoint
