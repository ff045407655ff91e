#include "test_client.h"

#include <boost/asio/local/stream_protocol.hpp>
#include <stdexcept>
#include <utility>

#include "rpc/asio_transport.h"

namespace longshore::test {

using Local = boost::asio::local::stream_protocol;

TestClient::TestClient(const std::string& socket) {
  Local::socket connected(context_);
  connected.connect(Local::endpoint(socket));
  rpc::Limits limits;
  limits.max_message_bytes = 64u << 20;
  limits.max_buffered_bytes = 128u << 20;
  connection_ =
      rpc::make_client_connection(rpc::make_transport(std::move(connected)), "localhost", limits);
  connection_->start([closed = closed_](const std::string&) { *closed = true; });
}

TestClient::~TestClient() {
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

bool TestClient::run_until(const std::function<bool()>& done, std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!done() && std::chrono::steady_clock::now() < end) {
    context_.restart();
    context_.run_one_until(end);
  }
  return done();
}

}  // namespace longshore::test
