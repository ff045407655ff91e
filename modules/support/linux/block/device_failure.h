// An operation on a device's bytes that failed, told with what to do where the device itself fails.
#pragma once

#include <string>
#include <system_error>
#include <utility>

#include "longshore/result.hpp"

namespace longshore::block {

// The arguments are Error's, and what the system answered.
inline Error device_failure(StatusCode code, std::string operation, std::string object,
                            const std::error_code& error) {
  Error failure = Error(code, std::move(operation), std::move(object)).because(error);
  if (error != std::errc::io_error) return failure;
  return std::move(failure).advise(
      "the disk fails, or what leads to it; the kernel's log says more");
}

}  // namespace longshore::block
