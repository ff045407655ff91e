#include "endpoint/endpoint.h"

#include <algorithm>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <utility>

#include "endpoint/builtin_services.h"
#include "endpoint/routed_call.h"
#include "observe/rate_limited_log.h"
#include "rpc/asio_transport.h"
#include "rpc/server.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
using Protocol = asio::local::stream_protocol;

// When the system is out of descriptors, trying again at once would only burn time.
constexpr std::chrono::milliseconds kAcceptPause{100};

class UnixEndpoint;

// The calls of one connection.
class Session final : public rpc::ServiceHandler {
 public:
  Session(std::shared_ptr<UnixEndpoint> endpoint, const Peer& peer)
      : endpoint_(std::move(endpoint)),
        caller_(std::make_shared<router::Caller>(
            router::Caller{peer.identity(), peer.identity(), nullptr, peer.ids(), peer.process})) {}

  std::unique_ptr<rpc::ServerCallHandler> start_call(
      const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream) override;

  // What the endpoint's rules allow this peer to call.
  std::shared_ptr<const router::MethodSet> allowed();

  const router::UserIds& ids() const { return *caller_->ids; }
  std::shared_ptr<rpc::ServerConnection> connection;

 private:
  const std::shared_ptr<UnixEndpoint> endpoint_;
  const std::shared_ptr<const router::Caller> caller_;
  // The answer of `allowed`, and the rules that it was made of.
  std::shared_ptr<const router::Permissions> permissions_;
  std::shared_ptr<const router::MethodSet> allowed_;
};

class UnixEndpoint final : public Endpoint {
 public:
  UnixEndpoint(EndpointOptions options, EndpointContext context, SocketFile file)
      : options_(std::move(options)),
        context_(context),
        file_(std::move(file)),
        acceptor_(context.io, Protocol(), file_.release_descriptor()),
        pause_(context.io) {}

  const EndpointOptions& options() const override { return options_; }
  const EndpointContext& context() const { return context_; }
  size_t connections() const override { return sessions_.size(); }
  bool lacks_access() const override { return file_.lacks_access(options_.socket); }

  Result<void> update(EndpointOptions options) override {
    // What forbids holds even if the file's mode cannot be set.
    options_ = std::move(options);
    for (const auto& session : std::set(sessions_)) {
      if (!names(session->ids())) session->connection->drain();
    }
    return file_.apply_access(options_.socket);
  }
  bool serves(std::string_view service) const {
    return options_.services.contains(service) ||
           (options_.all_services && context_.catalog.get()->has(service));
  }

  void accept() {
    acceptor_.async_accept(
        [self = shared_self()](boost::system::error_code error, Protocol::socket socket) {
          // Also whom the kernel let in just before the end: dropped, the client would read
          // "connection reset" where it should be told to go.
          if (!error && !self->is_closed_) self->welcome(std::move(socket));
          if (!self->acceptor_.is_open()) return;
          if (error) return self->accept_later(error);
          self->accept();
        });
  }

  void drain(std::function<void()> done) override {
    stop_accepting();
    drained_ = std::move(done);
    for (const auto& session : std::set(sessions_)) session->connection->drain();
    // After an accept that has succeeded and waits for its turn.
    asio::post(context_.io, [self = shared_self()] {
      self->is_done_accepting_ = true;
      self->tell_if_drained();
    });
  }

  void close() override {
    is_closed_ = true;
    stop_accepting();
    for (const auto& session : std::set(sessions_)) session->connection->close();
  }

 private:
  std::shared_ptr<UnixEndpoint> shared_self() {
    return std::static_pointer_cast<UnixEndpoint>(shared_from_this());
  }

  // Those whom the kernel has let in already are welcomed first: they would read "connection reset"
  // where they should be told to go. New ones find no socket file any more. A socket that was
  // handed in stays: who is in its queue waits for the next agent.
  void stop_accepting() {
    boost::system::error_code error;
    const bool may_welcome = file_.is_ours() && acceptor_.is_open() && !is_closed_;
    file_.remove_name();
    if (may_welcome) acceptor_.non_blocking(true, error);
    while (may_welcome && !error) {
      Protocol::socket socket = acceptor_.accept(error);
      if (!error) welcome(std::move(socket));
    }
    boost::system::error_code ignored;  // closing twice is fine
    acceptor_.close(ignored);
    pause_.cancel();
  }

  void accept_later(const std::error_code& error) {
    context_.log.warning("cannot accept a connection",
                         {{"endpoint", options_.name}, {"error", error.message()}});
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([self = shared_self()](boost::system::error_code cancelled) {
      if (!cancelled && self->acceptor_.is_open()) self->accept();
    });
  }

  void welcome(Protocol::socket socket) {
    close_on_exec(socket.native_handle());
    const Result<Peer> peer = peer_of(socket.native_handle());
    if (!peer) return refuse("unknown", peer.error().message());
    if (std::string why = objection_to(*peer); !why.empty()) {
      return refuse(peer->identity() + " pid:" + std::to_string(peer->process), why);
    }
    auto session = std::make_shared<Session>(shared_self(), *peer);
    session->connection =
        rpc::make_server_connection(rpc::make_transport(std::move(socket)), *session,
                                    options_.limits, context_.executor_thread);
    sessions_.insert(session);
    ++connections_by_user_[peer->user];
    session->connection->start([this, session](const std::string& reason) {
      context_.log.debug("connection closed", {{"endpoint", options_.name}, {"reason", reason}});
      forget(session);
    });
    if (drained_) session->connection->drain();
  }

  // Whether allow_users and allow_groups let the peer in.
  bool names(const router::UserIds& peer) const {
    if (options_.allow_users.empty() && options_.allow_groups.empty()) return true;
    const auto named = [](const std::vector<unsigned>& list, unsigned id) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    return named(options_.allow_users, peer.user) ||
           std::any_of(peer.groups.begin(), peer.groups.end(),
                       [&](unsigned group) { return named(options_.allow_groups, group); });
  }

  // Why a peer may not come in; empty when it may.
  std::string objection_to(const Peer& peer) const {
    if (options_.own_user_only) {
      if (!peer.own_user) return "only the agent's own user and root may";
      if (!peer.same_pid_namespace) return "it is in a container of its own";
    }
    if (!names(peer.ids())) return "allow_users and allow_groups do not name it";
    if (sessions_.size() >= options_.max_connections) return "there are too many connections";
    const auto of_user = connections_by_user_.find(peer.user);
    if (of_user != connections_by_user_.end() &&
        of_user->second >= options_.max_connections_per_user) {
      return "the user has too many connections";
    }
    return {};
  }

  void refuse(const std::string& who, const std::string& why) {
    refusals_.write(observe::Level::kWarning, "connection refused",
                    {{"endpoint", options_.name}, {"peer", who}, {"reason", why}});
  }

  void forget(const std::shared_ptr<Session>& session) {
    if (sessions_.erase(session) == 0) return;
    const auto of_user = connections_by_user_.find(session->ids().user);
    if (--of_user->second == 0) connections_by_user_.erase(of_user);
    session->connection.reset();
    tell_if_drained();
  }

  void tell_if_drained() {
    if (drained_ && is_done_accepting_ && sessions_.empty()) std::exchange(drained_, nullptr)();
  }

  EndpointOptions options_;
  const EndpointContext context_;
  observe::RateLimitedLog refusals_{context_.log};  // anybody may try as often as he likes
  SocketFile file_;
  Protocol::acceptor acceptor_;
  asio::steady_timer pause_;
  std::set<std::shared_ptr<Session>> sessions_;
  std::map<unsigned, size_t> connections_by_user_;
  std::function<void()> drained_;
  bool is_done_accepting_ = false;
  bool is_closed_ = false;
};

// A reload may have brought other rules since the last call.
std::shared_ptr<const router::MethodSet> Session::allowed() {
  if (const auto& present = endpoint_->options().permissions; present != permissions_) {
    permissions_ = present;
    allowed_ = present ? router::allowed_methods(*present, *caller_->ids) : nullptr;
  }
  return allowed_;
}

std::unique_ptr<rpc::ServerCallHandler> Session::start_call(
    const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream) {
  const std::string_view method = std::string_view(head.path).substr(1);
  const std::string_view service = method.substr(0, method.find('/'));
  const EndpointContext& context = endpoint_->context();
  if (endpoint_->serves(service)) {
    return start_routed_call(head, std::move(stream),
                             {context.router, context.runner, caller_, allowed()});
  }
  auto builtin = start_builtin_call(
      method, stream, context.catalog.get(),
      [endpoint = endpoint_](std::string_view name) { return endpoint->serves(name); });
  if (!builtin) {
    stream->finish(StatusCode::kUnimplemented,
                   "this endpoint does not serve the service \"" + std::string(service) + "\"", {});
  }
  return builtin;
}

}  // namespace

Result<std::shared_ptr<Endpoint>> Endpoint::open(EndpointOptions options, EndpointContext context,
                                                 std::optional<SocketFile> activated) {
  if (!activated) {
    Result<SocketFile> file = SocketFile::listen(options.socket);
    if (!file) return std::move(file).error();
    activated.emplace(std::move(*file));
  }
  auto endpoint =
      std::make_shared<UnixEndpoint>(std::move(options), context, std::move(*activated));
  endpoint->accept();
  return std::shared_ptr<Endpoint>(std::move(endpoint));
}

}  // namespace longshore::endpoint
