#include "test_client.h"

#include <stdexcept>
#include <system_error>
#include <utility>

#include "rpc/asio_transport.h"
#if defined(_WIN32)
#include <boost/asio/windows/stream_handle.hpp>

#include "longshore/windows/wide_text.hpp"
#else
#include <boost/asio/local/stream_protocol.hpp>
#endif

namespace longshore::test {

namespace {

#if defined(_WIN32)
std::unique_ptr<rpc::Transport> connect_to(boost::asio::io_context& context,
                                           const std::string& pipe) {
  const std::wstring name = wide(pipe);
  HANDLE handle = INVALID_HANDLE_VALUE;
  // Busy: the agent makes another instance at once.
  do {
    handle = CreateFileW(name.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_EXISTING,
                         FILE_FLAG_OVERLAPPED, nullptr);
  } while (handle == INVALID_HANDLE_VALUE && GetLastError() == ERROR_PIPE_BUSY &&
           WaitNamedPipeW(name.c_str(), 10'000));
  if (handle == INVALID_HANDLE_VALUE) {
    throw std::system_error(static_cast<int>(GetLastError()), std::system_category(), pipe);
  }
  return rpc::make_transport(boost::asio::windows::stream_handle(context, handle));
}
#else
std::unique_ptr<rpc::Transport> connect_to(boost::asio::io_context& context,
                                           const std::string& socket) {
  using Local = boost::asio::local::stream_protocol;
  Local::socket connected(context);
  connected.connect(Local::endpoint(socket));
  return rpc::make_transport(std::move(connected));
}
#endif

}  // namespace

TestClient::TestClient(const std::string& socket) {
  rpc::Limits limits;
  limits.max_message_bytes = 64u << 20;
  limits.max_buffered_bytes = 128u << 20;
  connection_ = rpc::make_client_connection(connect_to(context_, socket), "localhost", limits);
  connection_->start([closed = closed_](const std::string&) { *closed = true; });
}

TestClient::~TestClient() { close(); }

void TestClient::close() {
  connection_->close();
  context_.restart();
  context_.poll();
}

std::shared_ptr<Answer> TestClient::start(const std::string& method, std::string request,
                                          rpc::ClientCallOptions options) {
  auto answer = std::make_shared<Answer>();
  options.path = "/" + method;
  answer->call = connection_->call(std::move(options), std::move(request), answer);
  return answer;
}

std::shared_ptr<Answer> TestClient::open(const std::string& method) {
  auto answer = std::make_shared<Answer>();
  rpc::ClientCallOptions options;
  options.path = "/" + method;
  answer->call = connection_->open(std::move(options), answer);
  return answer;
}

std::shared_ptr<Answer> TestClient::call(const std::string& method, std::string request,
                                         rpc::ClientCallOptions options) {
  auto answer = start(method, std::move(request), std::move(options));
  if (!run_until([&] { return answer->finished(); })) {
    throw std::runtime_error("no answer to " + method);
  }
  answer->call.reset();
  return answer;
}

void TestClient::catch_up() {
  context_.restart();
  context_.poll();
}

bool TestClient::run_until(const std::function<bool()>& done, std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!done() && std::chrono::steady_clock::now() < end) {
    context_.restart();
    context_.run_one_until(end);
  }
  return done();
}

}  // namespace longshore::test
