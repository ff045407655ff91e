// Paths as text, which is UTF-8 in the agent, and as the standard library has them.
//
// Made of chars, a path would go through the C library's locale on Windows, which makes two or
// three other letters of each that is not ASCII. Back, path::string() is UTF-8. Threads: any.
#pragma once

#include <filesystem>
#include <string_view>

namespace longshore::text {

std::filesystem::path file_path(std::string_view text);

}  // namespace longshore::text
