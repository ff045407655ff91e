// What tests compare of a result that carries nothing else that they look at.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::test {

// "OK", or the name of the status code.
template <typename T>
std::string outcome(const Result<T>& result) {
  return result ? "OK" : status_code_name(result.error().code());
}

}  // namespace longshore::test
