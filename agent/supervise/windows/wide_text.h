// UTF-8, as the agent has all text, and what Windows' functions take.
#pragma once

#include <windows.h>

#include <string>
#include <string_view>

namespace longshore::supervise {

inline std::wstring wide(std::string_view text) {
  const auto bytes = static_cast<int>(text.size());
  const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0);
  std::wstring wide(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, wide.data(), size);
  return wide;
}

}  // namespace longshore::supervise
