// Calls one method over and over at a pipe, as a driver does while the agent is replaced under it:
// on a new connection when the old one is lost, and again and again while there is no pipe.
//
//   reconnecting_client PIPE METHOD TEXT END
//
// The request's only field is the text. Says "calling" after its first answer. When there is a file
// END it says how often it called, connected anew and failed. Ends with 1 when a call failed, or
// when it could not connect for another reason than that there is no pipe.
#include <windows.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "tests/support/eventually.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

namespace longshore::test {
namespace {

// What Wine says where the pipe goes while one waits for an end of it that is free; mingw has no
// name for it.
constexpr int kHandlesClosed = 676;

// Or about to go: it stays busy until the agent has answered all of its clients.
bool is_gone(int error) {
  return error == ERROR_FILE_NOT_FOUND || error == ERROR_SEM_TIMEOUT || error == kHandlesClosed;
}

class ReconnectingClient {
 public:
  explicit ReconnectingClient(std::string pipe) : pipe_(std::move(pipe)) {}

  // The connection that it calls on: a new one once the agent has told that one to go, or ended it.
  TestClient& connection() {
    if (client_ != nullptr) client_->catch_up();
    if (client_ == nullptr || client_->closed() || !client_->accepts_calls()) connect();
    return *client_;
  }
  int connections() const { return connections_; }

 private:
  void connect() {
    client_.reset();
    if (!eventually([&] { return is_connected(); })) throw std::runtime_error("no pipe " + pipe_);
    ++connections_;
  }

  bool is_connected() {
    try {
      client_ = std::make_unique<TestClient>(pipe_);
    } catch (const std::system_error& refusal) {
      if (!is_gone(refusal.code().value())) throw;
    }
    return client_ != nullptr;
  }

  const std::string pipe_;
  std::unique_ptr<TestClient> client_;
  int connections_ = 0;
};

bool call_until(const std::filesystem::path& end, ReconnectingClient& client,
                const std::string& method, const std::string& request) {
  size_t calls = 0;
  size_t failed = 0;
  while (!std::filesystem::exists(end)) {
    TestClient& connection = client.connection();
    const auto answer = connection.call(method, request);
    if (++calls == 1) {
      std::printf("calling\n");
      std::fflush(stdout);
    }
    if (answer->code() == StatusCode::kOk) continue;
    ++failed;
    std::printf("%s %s\n", status_code_name(answer->code()).c_str(), answer->text().c_str());
  }
  std::printf("calls=%zu reconnected=%d failed=%zu\n", calls, client.connections() - 1, failed);
  return failed == 0;
}

}  // namespace
}  // namespace longshore::test

int main(int count, char** words) {
  using namespace longshore::test;
  if (count != 5) {
    std::fputs("usage: reconnecting_client PIPE METHOD TEXT END\n", stderr);
    return 2;
  }
  try {
    ReconnectingClient client(words[1]);
    return call_until(words[4], client, words[2], WireWriter().text(1, words[3])) ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "reconnecting_client: %s\n", failure.what());
    return 1;
  }
}
