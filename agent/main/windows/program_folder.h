// Where this program lies.
#pragma once

#include <windows.h>

#include <array>
#include <filesystem>
#include <string>

#include "longshore/windows/wide_text.hpp"

namespace longshore {

inline std::string program_folder() {
  std::array<wchar_t, 32768> path{};
  GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  return narrow(std::filesystem::path(path.data()).parent_path().native());
}

}  // namespace longshore
