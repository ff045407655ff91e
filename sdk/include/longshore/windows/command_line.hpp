// Words to a command line that CommandLineToArgvW, and the C library, take apart into the same.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace longshore {

// A backslash means something only before a quotation mark, where two stand for one.
inline std::wstring quoted_word(std::wstring_view word) {
  std::wstring text = L"\"";
  size_t backslashes = 0;
  for (const wchar_t c : word) {
    if (c == L'"') text.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    text += c;
  }
  return text.append(backslashes, L'\\') + L'"';
}

// The first, a program's path, has no quotation marks and no backslash at its end: it is taken
// apart by rules of its own.
inline std::wstring command_line(std::span<const std::wstring> words) {
  std::wstring line;
  for (const std::wstring& word : words) line += (line.empty() ? L"" : L" ") + quoted_word(word);
  return line;
}

}  // namespace longshore
