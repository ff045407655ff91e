// The reply of liblongshore's functions.
#pragma once

#include <new>
#include <utility>

#include "embed/outcome.h"
#include "longshore/agent.h"

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
