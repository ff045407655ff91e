// What the agent has written on this process's command line; see ChildProcess.
#pragma once

#include <windows.h>

#include <optional>
#include <string>

namespace longshore::supervise {

struct OwnCommandLine {
  HANDLE input = nullptr;
  HANDLE output = nullptr;
  std::wstring image;

  // Nothing: it was not the agent that started this process.
  static std::optional<OwnCommandLine> read();
};

}  // namespace longshore::supervise
