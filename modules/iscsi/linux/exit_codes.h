// What iscsiadm says by its exit code (iscsiadm(8), "EXIT STATUS").
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::iscsi {

// Those that callers treat on their own.
enum class ExitCode {
  kSuccess = 0,
  kSessionNotFound = 2,
  kSessionExists = 15,
  kFatalLogin = 19,
  kNothingFound = 21,
  kNotConnected = 32,
};

// The error for any code but 0: a status, a sentence and what to do. `complaint` is what iscsiadm
// wrote to standard error.
Error error_of_exit_code(int exit_code, std::string operation, std::string object,
                         const std::string& complaint);

}  // namespace longshore::iscsi
