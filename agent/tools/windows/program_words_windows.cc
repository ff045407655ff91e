#include <windows.h>
// windows.h comes before it.
#include <shellapi.h>

#include "longshore/windows/local_memory.hpp"
#include "longshore/windows/wide_text.hpp"
#include "tools/program_words.h"

namespace longshore {

std::vector<std::string> program_words(int /*argc*/, char** /*argv*/) {
  int count = 0;
  const LocalMemory<wchar_t*> all(CommandLineToArgvW(GetCommandLineW(), &count));
  std::vector<std::string> words;
  for (int i = 1; all && i < count; ++i) words.push_back(narrow(all.get()[i]));
  return words;
}

}  // namespace longshore
