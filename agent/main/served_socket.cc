#include "main/served_socket.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <string_view>
#include <utility>

#include "main/socket_folder.h"
#include "rpc/bad_alloc_scope.h"
#include "text/escape.h"

namespace longshore {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

// When the system is out of descriptors, trying again at once would only burn time.
constexpr std::chrono::milliseconds kAcceptPause{100};
// Who has a request has it at hand.
constexpr std::chrono::seconds kRequestTime{30};
// Clients have deadlines of their own; this one is for those that never go.
constexpr std::chrono::minutes kAnswerTime{10};

rpc::Limits limits_of_a_client() {
  rpc::Limits limits;
  limits.max_message_bytes = ServedSocket::kMaxMessageBytes;
  limits.max_send_message_bytes = ServedSocket::kMaxMessageBytes;
  limits.max_concurrent_streams = 64;
  limits.max_buffered_bytes = 256u << 10;
  limits.call_bytes_high_watermark = 128u << 10;
  limits.max_memory_bytes = 1u << 20;
  return limits;
}

}  // namespace

// One call of a client's.
class ServedSocket::Call final : public rpc::ServerCallHandler {
 public:
  Call(std::shared_ptr<ServedSocket> socket, std::string method,
       std::optional<std::chrono::nanoseconds> timeout, std::shared_ptr<rpc::ServerStream> stream)
      : socket_(std::move(socket)),
        stream_(std::move(stream)),
        method_(std::move(method)),
        time_(std::min<std::chrono::nanoseconds>(timeout.value_or(kAnswerTime), kAnswerTime)),
        timer_(socket_->io_) {}

  void on_message(std::string message, rpc::MemoryCharge held) override {
    if (message_) return refuse("the call has more than one request");
    message_ = std::move(message);
    held_ = std::move(held);
  }

  void on_half_close() override {
    if (!message_) return refuse("the call has no request");
    id_ = socket_->options_.on_call({method_, *std::move(message_), stream_});
    if (id_ == 0) return;
    timer_.expires_at(begun_ + time_);
    // It may run after the call's end, and then does nothing.
    timer_.async_wait(
        [socket = socket_, stream = stream_, id = id_](boost::system::error_code error) {
          if (error || !socket->options_.give_up(id)) return;
          stream->finish(StatusCode::kDeadlineExceeded, "it was not answered in time", {});
        });
  }

  void on_cancel() override {
    if (id_ != 0) socket_->options_.give_up(id_);
  }

  void on_writable() override {}

  Clock::time_point request_deadline() const override {
    return begun_ + std::min<std::chrono::nanoseconds>(time_, kRequestTime);
  }

 private:
  void refuse(const char* why) const {
    stream_->finish(StatusCode::kInvalidArgument,
                    std::string(why) + ", and " + method_ + " takes one", {});
  }

  const std::shared_ptr<ServedSocket> socket_;
  const std::shared_ptr<rpc::ServerStream> stream_;
  const std::string method_;
  const std::chrono::nanoseconds time_;
  const Clock::time_point begun_ = Clock::now();
  std::optional<std::string> message_;
  rpc::MemoryCharge held_;
  uint64_t id_ = 0;  // once it was told of
  asio::steady_timer timer_;
};

ServedSocket::ServedSocket(asio::io_context& io, observe::Log& log, Options options)
    : io_(io), options_(std::move(options)), failures_(log), pause_(io) {}

Result<void> ServedSocket::listen() {
  if (auto there = check_socket_folder(path()); !there) return there;
  endpoint::ListenerOptions options;
  options.path = path();
  options.setting = "path";
  auto made = endpoint::Listener::open(io_, options);
  if (!made) return std::move(made).error();
  // Whom the kernel let in before the file was gone stays connected.
  stop_accepting([this](const std::error_code&, std::optional<endpoint::Client> client) {
    if (client) welcome(*std::move(client));
  });
  listener_ = *std::move(made);
  accept();
  return {};
}

void ServedSocket::close() {
  is_closed_ = true;
  stop_accepting({});
  // Each forgets itself, perhaps at once.
  for (const auto& [key, connection] : std::map(connections_)) connection->close();
}

void ServedSocket::stop_accepting(const endpoint::Listener::OnClient& last) {
  ++turn_;
  pause_.cancel();
  if (listener_) listener_->stop(last);
  listener_.reset();
}

void ServedSocket::accept() {
  listener_->accept([self = shared_from_this(), turn = turn_](
                        const std::error_code& error, std::optional<endpoint::Client> client) {
    if (client && !self->is_closed_) self->welcome(*std::move(client));
    if (self->turn_ != turn) return;
    if (error) return self->accept_later(error);
    self->accept();
  });
}

void ServedSocket::accept_later(const std::error_code& error) {
  failures_.write(observe::Level::kWarning, "cannot accept a connection",
                  {{"path", path()}, {"error", error.message()}});
  pause_.expires_after(kAcceptPause);
  pause_.async_wait([self = shared_from_this(), turn = turn_](boost::system::error_code) {
    if (self->turn_ == turn) self->accept();
  });
}

// Where there is no memory for one more, it is that one which is closed.
void ServedSocket::welcome(endpoint::Client client) {
  try {
    const rpc::BadAllocScope caught(rpc::BadAllocScope::Kind::kIsCaught);
    serve(std::move(client));
  } catch (const std::bad_alloc&) {
  }
}

void ServedSocket::serve(endpoint::Client client) {
  if (connections_.size() >= kMaxConnections) {
    failures_.write(
        observe::Level::kWarning, "connection refused",
        {{"path", path()}, {"reason", std::to_string(kMaxConnections) + " clients are connected"}});
    return client.transport->close();
  }
  const auto connection = rpc::make_server_connection(
      std::move(client.transport), *this, limits_of_a_client(), {.told_text = &text::escaped});
  const rpc::ServerConnection* const key = connection.get();
  connections_[key] = connection;
  try {
    connection->start(
        [self = shared_from_this(), key](const std::string&) { self->connections_.erase(key); });
  } catch (...) {
    connections_.erase(key);
    throw;
  }
}

std::unique_ptr<rpc::ServerCallHandler> ServedSocket::start_call(
    const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream) {
  std::string method = head.path.substr(1);
  if (!options_.methods.contains(method)) {
    stream->finish(StatusCode::kUnimplemented, "\"" + method + "\" is not served on this socket",
                   {});
    return nullptr;
  }
  return std::make_unique<Call>(shared_from_this(), std::move(method), head.timeout,
                                std::move(stream));
}

}  // namespace longshore
