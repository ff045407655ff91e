// A file or folder of the agent's own on Windows: made so that only the system's account and
// administrators can open it, and opened without following a link in its place.
//
// Threads: any; plain functions.
#pragma once

#include <string>

#include "longshore/result.hpp"
#include "longshore/windows/handle.hpp"

namespace longshore::files {

// Makes the folder, and those above it, where it is missing.
Result<void> make_own_folder(const std::string& path);

// Opens the file for the `access` of CreateFileW, or makes it. Others may read, delete and, with
// `others_write`, write it meanwhile. An error where a link has its name.
enum class OthersMay { kRead, kWrite, kNothing };
Result<Handle> open_own_file(const std::string& path, DWORD access, OthersMay others);

}  // namespace longshore::files
