// GUIDs as Windows writes them in the names of volumes.
//
// Threads: any; plain functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "support/windows/guid.h"

namespace longshore::support {

// "01234567-89ab-cdef-0123-456789abcdef".
std::string guid_text(const Guid& guid);

// Of this text, in either case.
std::optional<Guid> parse_guid(std::string_view text);

// The GUID in "\\?\Volume{...}\", with or without the last backslash.
std::optional<Guid> guid_of_volume(std::string_view id);

// Whether both are names of one volume: the GUID alone counts, in any case.
bool is_same_volume(std::string_view left, std::string_view right);

// "\\?\Volume{...}\".
std::string volume_id(const Guid& guid);

}  // namespace longshore::support
