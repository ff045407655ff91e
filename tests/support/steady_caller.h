// A client that calls one method over and over, on a connection and a thread of its own.
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "tests/support/test_client.h"

namespace longshore::test {

class SteadyCaller {
 public:
  // Calls "longshore.echo.v1.Echo/Say" at a socket or pipe, from now on.
  SteadyCaller(std::string socket, std::string method, std::string request)
      : thread_([this, socket = std::move(socket), method = std::move(method),
                 request = std::move(request)] {
          try {
            call_until_told(socket, method, request);
          } catch (const std::exception& failure) {
            error_ = failure.what();
          }
        }) {}
  ~SteadyCaller() { end(); }
  SteadyCaller(const SteadyCaller&) = delete;
  SteadyCaller& operator=(const SteadyCaller&) = delete;

  // Its first error; empty when all went well.
  std::string end() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return error_;
  }
  int calls() const { return calls_; }
  std::string last_answer() const { return last_answer_; }  // after `end`

 private:
  void call_until_told(const std::string& socket, const std::string& method,
                       const std::string& request) {
    TestClient client(socket);
    while (!over_) {
      const auto answer = client.call(method, request);
      ++calls_;
      if (answer->code() == StatusCode::kOk) {
        last_answer_ = answer->messages.at(0);
      } else if (error_.empty()) {
        error_ = std::string(status_code_name(answer->code())) + " " + answer->text();
      }
    }
  }

  std::atomic<bool> over_{false};
  std::atomic<int> calls_{0};
  std::string error_;
  std::string last_answer_;
  std::thread thread_;
};

}  // namespace longshore::test
