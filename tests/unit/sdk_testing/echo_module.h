// The echo module as the fake host's subject: everything that a well-behaved module does.
#pragma once

#include <string>

#include "longshore/echo/v1.pb.h"
#include "longshore/testing/fake_host.hpp"
#include "longshore/testing/module_file.hpp"
#include "tests/support/build_tree.h"

namespace longshore::testing {

inline const longshore_module_entry& echo_entry() {
  static const ModuleFile file(test::built_module("echo"));
  return file.entry();
}

inline std::string echo_method(const std::string& name) { return "longshore.echo.v1.Echo/" + name; }

inline echo::v1::SayRequest say_request(const std::string& text) {
  echo::v1::SayRequest request;
  request.set_text(text);
  return request;
}

inline echo::v1::WaitRequest wait_request(int64_t milliseconds) {
  echo::v1::WaitRequest request;
  request.set_milliseconds(milliseconds);
  return request;
}

inline echo::v1::CountRequest count_request(int64_t count) {
  echo::v1::CountRequest request;
  request.set_count(count);
  return request;
}

inline echo::v1::ForwardRequest forward_request(const std::string& method,
                                                const std::string& bytes) {
  echo::v1::ForwardRequest request;
  request.set_method(method);
  request.set_request(bytes);
  return request;
}

}  // namespace longshore::testing
