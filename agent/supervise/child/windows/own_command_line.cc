#include "supervise/child/windows/own_command_line.h"

// windows.h comes before it.
#include <shellapi.h>

#include <cwchar>
#include <memory>

namespace longshore::supervise {
namespace {

struct LocalMemory {
  void operator()(void* memory) const { LocalFree(memory); }
};

HANDLE handle_of(const wchar_t* number) {
  return reinterpret_cast<HANDLE>(static_cast<uintptr_t>(std::wcstoull(number, nullptr, 10)));
}

}  // namespace

std::optional<OwnCommandLine> OwnCommandLine::read() {
  int count = 0;
  const std::unique_ptr<wchar_t*, LocalMemory> words(CommandLineToArgvW(GetCommandLineW(), &count));
  constexpr int kProgramNameInputOutputImage = 5;
  if (!words || count != kProgramNameInputOutputImage) return std::nullopt;
  wchar_t** const word = words.get();
  return OwnCommandLine{handle_of(word[2]), handle_of(word[3]), word[4]};
}

}  // namespace longshore::supervise
