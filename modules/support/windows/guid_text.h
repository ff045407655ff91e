// GUIDs as Windows writes them in the names of volumes.
//
// Threads: any; plain functions.
#pragma once

#include <windows.h>

#include <optional>
#include <string>
#include <string_view>

namespace longshore::support {

// "01234567-89ab-cdef-0123-456789abcdef".
std::string guid_text(const GUID& guid);

// Of this text, in either case.
std::optional<GUID> parse_guid(std::string_view text);

// The GUID in "\\?\Volume{...}\", with or without the last backslash.
std::optional<GUID> guid_of_volume(std::string_view id);

// "\\?\Volume{...}\".
std::string volume_id(const GUID& guid);

}  // namespace longshore::support
