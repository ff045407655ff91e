// How a call of an embedder ended, and the reply of liblongshore's functions that holds it.
#pragma once

#include <new>
#include <string>
#include <utility>

#include "longshore/agent.h"
#include "longshore/result.hpp"

namespace longshore::embed {

struct Outcome {
  StatusCode code = StatusCode::kOk;
  std::string text;  // empty when it went well
  std::string response;
};

}  // namespace longshore::embed

struct longshore_reply {
  const longshore::embed::Outcome outcome;
};

namespace longshore::embed {

// Owner: the caller of the library, who frees it with longshore_reply_free. Null without memory:
// longshore_reply_code and its neighbours know what that means.
inline longshore_reply* new_reply(Outcome outcome) {
  return new (std::nothrow) longshore_reply{std::move(outcome)};
}

}  // namespace longshore::embed
