// Why a bus is used: what its errors and its waiting need to know.
#pragma once

#include <string>

#include "longshore/deadline.hpp"
#include "longshore/result.hpp"

namespace longshore::system {

// What is being done, for errors, and how long it may take. Lives as long as the operation.
struct Purpose {
  const char* operation;  // completes "cannot ..."
  const std::string& object;
  const Deadline& deadline;

  Error error(StatusCode code) const { return Error(code, operation, object); }
};

}  // namespace longshore::system
