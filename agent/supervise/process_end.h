// How a module's process ended.
#pragma once

#include <string>
#include <utility>

namespace longshore::supervise {

struct ProcessEnd {
  enum class Kind {
    kInOrder,  // by itself, with exit code 0
    kKilled,   // as somebody wanted: by SIGKILL, or TerminateProcess
    kFailed,   // anything else: another exit code, a crash, or nobody knows
  };

  static ProcessEnd in_order() { return {Kind::kInOrder, "exited with code 0"}; }
  static ProcessEnd killed(std::string words) { return {Kind::kKilled, std::move(words)}; }
  static ProcessEnd failed(std::string words) { return {Kind::kFailed, std::move(words)}; }

  Kind kind = Kind::kFailed;
  // For people, after "the process ": "was killed by SIGSEGV", "exited with code 3".
  std::string words;
};

}  // namespace longshore::supervise
