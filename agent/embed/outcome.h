// How a call of an embedder ended: what a longshore_reply holds.
#pragma once

#include <string>

#include "longshore/result.hpp"

namespace longshore::embed {

struct Outcome {
  StatusCode code = StatusCode::kOk;
  std::string text;  // empty when it went well
  std::string response;
};

}  // namespace longshore::embed
