// UTF-8, as modules and the agent have all text, and what Windows' functions take.
//
// Threads: any; plain functions.
#pragma once

#include <windows.h>

#include <string>
#include <string_view>

namespace longshore {

// What is no UTF-8 becomes U+FFFD.
inline std::wstring wide(std::string_view text) {
  const auto bytes = static_cast<int>(text.size());
  const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0);
  std::wstring wide(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), size);
  return wide;
}

// Half of a surrogate pair, which names on NTFS may hold, becomes U+FFFD.
inline std::string narrow(std::wstring_view text) {
  const auto units = static_cast<int>(text.size());
  const int size =
      WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr, 0, nullptr, nullptr);
  std::string narrow(static_cast<size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, narrow.data(), size, nullptr, nullptr);
  return narrow;
}

}  // namespace longshore
