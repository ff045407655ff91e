// Requests of the module echo, as bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "longshore/echo/v1.pb.h"

namespace longshore::test {

inline std::string say(const std::string& text) {
  echo::v1::SayRequest request;
  request.set_text(text);
  return request.SerializeAsString();
}

inline std::string wait_for(std::chrono::milliseconds time, bool stubborn = false) {
  echo::v1::WaitRequest request;
  request.set_milliseconds(time.count());
  request.set_stubborn(stubborn);
  return request.SerializeAsString();
}

// So many messages, each of which has as many bytes more.
inline std::string count_to(int64_t messages, int64_t payload_bytes = 0) {
  echo::v1::CountRequest request;
  request.set_count(messages);
  request.set_payload_bytes(payload_bytes);
  return request.SerializeAsString();
}

inline std::string forward(const std::string& method, const std::string& request) {
  echo::v1::ForwardRequest outer;
  outer.set_method(method);
  outer.set_request(request);
  return outer.SerializeAsString();
}

}  // namespace longshore::test
