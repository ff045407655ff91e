#include "csi/driver_connection.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "csi/own_socket.h"
#include "observe/close_on_exec.h"
#include "rpc/asio_transport.h"

namespace longshore::csi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{1000};
// Where controllers have the address from.
constexpr const char* kSetting = "csi_address, of csi-sidecars the flag --csi-address,";

// What is there, and so what to do. Empty: `error` says all that is known.
std::string advice_for(const std::string& path, const std::error_code& error) {
  using Type = std::filesystem::file_type;
  // Before the look, which fails of that too.
  if (error == std::errc::permission_denied) {
    return "the socket is for other users: run this process as the driver's user or as root, or "
           "let "
           "its user write to the socket and search its folder";
  }
  std::error_code ignored;  // what cannot be looked at is told of by `error`
  switch (std::filesystem::status(path, ignored).type()) {
    case Type::not_found:
      if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, ignored))) {
        return "it is a link to what is not there; in a Pod its target has to be there in this "
               "container too, or " +
               std::string(kSetting) + " has to name the socket itself";
      }
      return "see whether the driver runs and makes its socket there; in a Pod, its container and "
             "this one mount the socket's folder by one emptyDir or hostPath";
    case Type::directory:
      return "it is a folder: " + std::string(kSetting) + " has to name the socket in it";
    case Type::socket:
      if (error == std::errc::resource_unavailable_try_again) {
        return "too many wait there to be accepted: see whether the driver hangs";
      }
      if (error != std::errc::connection_refused) return {};
      return "nobody listens there: see whether the driver runs";
    default:
      return "it is no socket: " + std::string(kSetting) +
             " has to name the one that the driver makes";
  }
}

Error not_connected(const std::string& path, const std::error_code& error) {
  Error unreachable =
      Error(StatusCode::kUnavailable, "connect to the CSI driver at", path).because(error);
  const std::string advice = advice_for(path, error);
  return advice.empty() ? std::move(unreachable) : std::move(unreachable).advise(advice);
}

// Asio waits where a socket's queue is full, as for TCP, and then takes it for connected.
std::error_code outcome_of_connect(const boost::asio::local::stream_protocol::socket& socket,
                                   const boost::system::error_code& error) {
  if (error) return error;
  boost::system::error_code none;
  static_cast<void>(socket.remote_endpoint(none));
  if (none != boost::asio::error::not_connected) return {};
  return std::make_error_code(std::errc::resource_unavailable_try_again);
}

Error leads_to_the_agent(const std::string& path) {
  return Error(StatusCode::kPermissionDenied, "call the CSI driver at", path)
      .because("the agent itself listens there, whose own services controllers do not reach so")
      .advise(std::string(kSetting) + " has to name the socket that the driver makes");
}

}  // namespace

DriverConnection::DriverConnection(boost::asio::io_context& io, std::string path)
    : io_(io), path_(std::move(path)) {}

void DriverConnection::call(const std::shared_ptr<DriverCall>& call) {
  if (is_connected()) return begin(call);
  if (failure_ && Clock::now() < paused_until_) return call->fail(*failure_);
  waiting_.push_back(call);
  connect();
}

void DriverConnection::connect() {
  if (std::exchange(is_connecting_, true)) return;
  const auto socket = std::make_shared<Local::socket>(io_);
  boost::system::error_code error;
  socket->open(Local(), error);
  if (!error) observe::close_on_exec(static_cast<intptr_t>(socket->native_handle()));
  // Where there is no descriptor it answers so.
  socket->async_connect(Local::endpoint(path_), [self = shared_from_this(),
                                                 socket](const boost::system::error_code& failed) {
    self->on_connected(*socket, failed);
  });
}

void DriverConnection::on_connected(Local::socket& socket, const boost::system::error_code& error) {
  is_connecting_ = false;
  if (is_closed_) return;
  const auto waiting = std::exchange(waiting_, {});
  failure_ = std::nullopt;
  if (const std::error_code outcome = outcome_of_connect(socket, error)) {
    failure_ = not_connected(path_, outcome);
  } else if (leads_to_own_process(static_cast<intptr_t>(socket.native_handle()))) {
    failure_ = leads_to_the_agent(path_);
  }
  if (failure_) {
    pause_ = std::clamp(2 * pause_, kFirstPause, kLongestPause);
    paused_until_ = Clock::now() + pause_;
    for (const auto& call : waiting) call->fail(*failure_);
    return;
  }
  pause_ = {};
  rpc::Limits limits;
  limits.max_message_bytes = kMaxMessageBytes;
  limits.max_send_message_bytes = kMaxMessageBytes;
  // Drivers' servers take no path for an authority.
  connection_ =
      rpc::make_client_connection(rpc::make_transport(std::move(socket)), "localhost", limits);
  if (const auto observer = observer_.lock()) observer->on_connected();
  // Calls find it out by themselves. One that was told to go may have been replaced before it ends.
  connection_->start([weak = weak_from_this(), which = connection_.get()](const std::string& why) {
    const auto self = weak.lock();
    if (!self || self->connection_.get() != which) return;
    if (const auto observer = self->observer_.lock()) observer->on_closed(why);
  });
  for (const auto& call : waiting) begin(call);
}

void DriverConnection::begin(const std::shared_ptr<DriverCall>& call) {
  if (call->is_over()) return;
  call->begin(*connection_, [weak = weak_from_this(), again = std::weak_ptr(call)] {
    const auto self = weak.lock();
    const auto unseen = again.lock();
    if (self && unseen) self->call(unseen);
  });
}

void DriverConnection::close() {
  is_closed_ = true;
  for (const auto& call : std::exchange(waiting_, {})) {
    call->fail(Error(StatusCode::kUnavailable, "call the CSI driver at", path_)
                   .because("its connection is closed"));
  }
  if (connection_) connection_->close();
}

}  // namespace longshore::csi
