#include "supervise/windows/exit_words.h"

#include <cstdio>

namespace longshore::supervise {
namespace {

struct Fault {
  uint32_t code;
  const char* words;
};

// Of NTSTATUS, which are errors from here on, and the C++ libraries' own.
constexpr uint32_t kFirstError = 0xC0000000;
constexpr Fault kFaults[] = {
    {0x80000003, "a breakpoint"},
    {0x20474343, "a C++ exception that nobody caught"},
    {0xE06D7363, "a C++ exception that nobody caught"},
    {0xC0000005, "an access violation"},
    {0xC0000006, "a page that could not be read"},
    {0xC0000017, "no memory left"},
    {0xC000001D, "an illegal instruction"},
    {0xC0000094, "a division by zero"},
    {0xC0000096, "a privileged instruction"},
    {0xC00000FD, "a stack overflow"},
    {0xC000012D, "no memory left"},
    {0xC0000135, "a DLL that is not there"},
    {0xC0000139, "a function that its DLL does not have"},
    {0xC000013A, "an interrupt from a console"},
    {0xC0000142, "a DLL that did not initialise"},
    {0xC0000374, "a damaged heap"},
    {0xC0000409, "a damaged stack, or because it gave up"},
    {0xC0000420, "an assertion"},
};

std::string hexadecimal(uint32_t code) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08X", static_cast<unsigned>(code));
  return text;
}

}  // namespace

ProcessEnd process_end_of(uint32_t code) {
  if (code == 0) return ProcessEnd::in_order();
  if (code == kKilledCode) return ProcessEnd::killed("was killed");
  for (const Fault& fault : kFaults) {
    if (fault.code == code) {
      return ProcessEnd::failed(std::string("crashed with ") + fault.words + " (" +
                                hexadecimal(code) + ")");
    }
  }
  if (code >= kFirstError) {
    return ProcessEnd::failed("crashed with the status " + hexadecimal(code));
  }
  return ProcessEnd::failed("exited with code " + std::to_string(code));
}

}  // namespace longshore::supervise
