// A call's request as the message that its method takes, for what the agent itself serves.
#pragma once

#include <string_view>

#include "longshore/result.hpp"

namespace longshore::router {

// INVALID_ARGUMENT: it is no such message.
template <typename Request>
Result<Request> parsed_request(std::string_view bytes) {
  Request request;
  if (request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return request;
  return Error::of_text(StatusCode::kInvalidArgument, "the request is not a valid message");
}

}  // namespace longshore::router
