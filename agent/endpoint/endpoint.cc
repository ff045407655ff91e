#include "endpoint/endpoint.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <new>
#include <utility>

#include "endpoint/builtin_services.h"
#include "endpoint/routed_call.h"
#include "observe/rate_limited_log.h"
#include "rpc/bad_alloc_scope.h"
#include "rpc/server.h"
#include "text/escape.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;

// When the system is out of descriptors, trying again at once would only burn time.
constexpr std::chrono::milliseconds kAcceptPause{100};

// Where connections are scarce, who has not answered a ping for so long is gone; and how often that
// is asked.
constexpr std::chrono::seconds kProbePatience{20};
constexpr std::chrono::seconds kProbePause{20};

class ListeningEndpoint;

// The calls of one connection.
class Session final : public rpc::ServiceHandler, private PeerRights {
 public:
  Session(std::shared_ptr<ListeningEndpoint> endpoint, const Peer& peer,
          PeerShares::Connection share);

  std::unique_ptr<rpc::ServerCallHandler> start_call(
      const rpc::CallHead& head, std::shared_ptr<rpc::ServerStream> stream) override;

  const router::UserIds& ids() const { return *caller_->ids; }
  const std::shared_ptr<rpc::MemoryAccount>& memory() const { return share_.account(); }
  const PeerKey& peer() const { return share_.peer(); }
  // Grows from use to use of the endpoint: when it came, or its last call began.
  uint64_t last_use() const { return last_use_; }
  // Whether it could give way to another connection.
  bool is_idle() const { return connection && !share_.gives_way() && connection->is_idle(); }
  // `at_once`: what it holds is free when this returns.
  void give_way(bool at_once) { connection->give_way(!share_.give_way() || at_once); }
  std::shared_ptr<rpc::ServerConnection> connection;

 private:
  // PeerRights
  uint64_t version() const override;
  bool serves(std::string_view service) const override;
  std::shared_ptr<const router::MethodSet> allowed() override;

  const std::shared_ptr<ListeningEndpoint> endpoint_;
  PeerShares::Connection share_;
  const std::shared_ptr<const router::Caller> caller_;
  uint64_t last_use_;
  // The answer of `allowed`, and the rules that it was made of.
  std::shared_ptr<const router::Permissions> permissions_;
  std::shared_ptr<const router::MethodSet> allowed_;
};

class ListeningEndpoint final : public Endpoint {
 public:
  ListeningEndpoint(EndpointOptions options, EndpointContext context,
                    std::unique_ptr<Listener> listener)
      : options_(std::move(options)),
        context_(context),
        listener_(std::move(listener)),
        flow_(context.fair_queue ? std::make_shared<rpc::FairQueue::Flow>(*context.fair_queue)
                                 : nullptr),
        shares_(options_.name, options_.own_user_only ? nullptr : context.memory, options_.shares),
        pause_(context.io) {}

  const EndpointOptions& options() const override { return options_; }
  const EndpointContext& context() const { return context_; }
  size_t connections() const override { return sessions_.size(); }
  const rpc::MemoryAccount& memory() const override { return shares_.memory(); }
  bool lacks_access() const override { return listener_->lacks_access(options_.listener); }

  Result<void> update(EndpointOptions options) override {
    // What forbids holds even if the file's mode cannot be set.
    options_ = std::move(options);
    ++version_;
    for (const auto& session : std::set(sessions_)) {
      if (!names(session->ids())) session->connection->drain();
    }
    if (auto listening = listen_again(); !listening) return listening;
    return listener_->apply_access(options_.listener);
  }

  Result<void> check_place() const override { return listener_->check_place(); }
  Result<void> listen_again() override {
    if (listener_->check_place()) return {};
    auto next = Listener::open(context_.io, options_.listener);
    if (!next) return std::move(next).error();
    stop_accepting();
    listener_ = std::move(*next);
    is_listening_ = true;
    accept();
    return {};
  }

  uint64_t next_use() { return ++last_use_; }
  // Grows with each update.
  uint64_t version() const { return version_; }
  bool serves(std::string_view service) const {
    if (options_.services.contains(service)) return true;
    if (!options_.all_services && !options_.is_unclaimed) return false;
    return context_.catalog.get()->has(service) == options_.all_services;
  }

  void accept() {
    listener_->accept(
        [self = shared_self(), turn = turn_](std::error_code error, std::optional<Client> client) {
          // Also whom the kernel let in just before the end: dropped, the client would read
          // "connection reset" where it should be told to go.
          if (client && !self->is_closed_) self->welcome(std::move(*client));
          if (!self->is_listening_ || self->turn_ != turn) return;
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
  std::shared_ptr<ListeningEndpoint> shared_self() {
    return std::static_pointer_cast<ListeningEndpoint>(shared_from_this());
  }

  // Those whom the kernel has let in already are welcomed first: they would read "connection reset"
  // where they should be told to go. A socket that was handed in stays: who is in its queue waits
  // for the next agent.
  void stop_accepting() {
    ++turn_;
    is_listening_ = false;
    Listener::OnClient last;
    if (!is_closed_) {
      last = [self = shared_self()](std::error_code, std::optional<Client> client) {
        if (client && !self->is_closed_) self->welcome(std::move(*client));
      };
    }
    listener_->stop(last);
    pause_.cancel();
  }

  void accept_later(const std::error_code& error) {
    failures_.write(observe::Level::kWarning, "cannot accept a connection",
                    {{"endpoint", options_.name}, {"error", error.message()}});
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([self = shared_self(), turn = turn_](boost::system::error_code) {
      if (self->is_listening_ && self->turn_ == turn) self->accept();
    });
  }

  // Where there is no memory for one more, it is that one which is closed.
  void welcome(Client client) {
    try {
      const rpc::BadAllocScope caught(rpc::BadAllocScope::Kind::kIsCaught);
      serve(std::move(client));
    } catch (const std::bad_alloc&) {
    }
  }

  void serve(Client client) {
    const Result<Peer>& peer = client.peer;
    if (!peer) return refuse("unknown", {}, peer.error().message());
    const auto refuse_peer = [&](const std::string& why) {
      refuse(peer->identity() + " pid:" + std::to_string(peer->process), peer->image, why);
    };
    if (std::string why = objection_to(*peer); !why.empty()) return refuse_peer(why);
    auto share = obtain_share(*peer);
    if (shares_.is_scarce(peer->key())) probe_clients();
    if (!share) return refuse_peer(share.error().message());
    auto session = std::make_shared<Session>(shared_self(), *peer, std::move(*share));
    session->connection = rpc::make_server_connection(
        std::move(client.transport), *session, options_.limits,
        {context_.executor_thread, session->memory(), flow_, &text::escaped});
    sessions_.insert(session);
    try {
      session->connection->start([this, session](const std::string& reason) {
        forget(session);  // first: there may be no memory for the line before
        context_.log.debug("connection closed", {{"endpoint", options_.name}, {"reason", reason}});
      });
    } catch (...) {
      sessions_.erase(session);
      throw;
    }
    // A client that has gone meanwhile is forgotten already.
    if (drained_ && session->connection) session->connection->drain();
  }

  // Clients leave idle connections behind, which never come to an end while their process lives.
  // They keep nothing from the same peer: the one that was used longest ago gives way. Where there
  // is a place, memory is lacking, which it has to free at once.
  Result<PeerShares::Connection> obtain_share(const Peer& peer) {
    auto share = shares_.admit(peer.key(), peer.bounded_user);
    if (share) return share;
    std::shared_ptr<Session> idle = longest_idle(peer.key());
    if (!idle) return share;
    idle->give_way(shares_.has_place(peer.key(), peer.bounded_user));
    idle.reset();
    return shares_.admit(peer.key(), peer.bounded_user);
  }

  // Of the peer's connections; null: none is idle.
  std::shared_ptr<Session> longest_idle(const PeerKey& peer) const {
    std::shared_ptr<Session> longest;
    for (const auto& session : sessions_) {
      const bool comes_first = !longest || session->last_use() < longest->last_use();
      if (comes_first && session->peer() == peer && session->is_idle()) longest = session;
    }
    return longest;
  }

  // Whether allow_users and allow_groups let the peer in.
  bool names(const router::UserIds& peer) const {
    if (options_.allow_users.empty() && options_.allow_groups.empty()) return true;
    const auto named = [](const std::vector<config::UserId>& list, const config::UserId& id) {
      return std::find(list.begin(), list.end(), id) != list.end();
    };
    return named(options_.allow_users, peer.user) ||
           std::any_of(peer.groups.begin(), peer.groups.end(), [&](const config::UserId& group) {
             return named(options_.allow_groups, group);
           });
  }

  // Why a peer may not come in; empty when it may.
  std::string objection_to(const Peer& peer) const {
    if (options_.own_user_only) {
      if (!peer.own_user) return "only the agent's own user and root may";
      if (!peer.same_pid_namespace) return "it is in a container of its own";
    }
    if (!names(peer.ids())) return "allow_users and allow_groups do not name it";
    return {};
  }

  // Drivers stay connected for ever, and idle for days. Only where there is hardly room for others
  // do they have to show that they are alive.
  void probe_clients() {
    const auto now = router::Clock::now();
    if (now < next_probe_) return;
    next_probe_ = now + kProbePause;
    for (const auto& session : std::set(sessions_)) session->connection->probe(kProbePatience);
  }

  void refuse(const std::string& who, const std::string& program, const std::string& why) {
    refusals_.write(
        observe::Level::kWarning, "connection refused",
        {{"endpoint", options_.name}, {"peer", who}, {"program", program}, {"reason", why}});
  }

  void forget(const std::shared_ptr<Session>& session) {
    if (sessions_.erase(session) == 0) return;
    session->connection.reset();
    if (context_.on_clients_gone) context_.on_clients_gone();
    tell_if_drained();
  }

  void tell_if_drained() {
    if (drained_ && is_done_accepting_ && sessions_.empty()) std::exchange(drained_, nullptr)();
  }

  EndpointOptions options_;
  const EndpointContext context_;
  observe::RateLimitedLog refusals_{context_.log};  // anybody may try as often as he likes
  observe::RateLimitedLog failures_{context_.log, &observe::RateLimitedLog::Clock::now,
                                    observe::RateLimitedLog::kFew};
  std::unique_ptr<Listener> listener_;  // always one
  const std::shared_ptr<rpc::FairQueue::Flow> flow_;
  PeerShares shares_;
  asio::steady_timer pause_;
  std::set<std::shared_ptr<Session>> sessions_;
  uint64_t version_ = 0;
  uint64_t last_use_ = 0;
  bool is_listening_ = true;
  uint64_t turn_ = 0;  // grows each time that it stops
  router::Clock::time_point next_probe_;
  std::function<void()> drained_;
  bool is_done_accepting_ = false;
  bool is_closed_ = false;
};

Session::Session(std::shared_ptr<ListeningEndpoint> endpoint, const Peer& peer,
                 PeerShares::Connection share)
    : endpoint_(std::move(endpoint)),
      share_(std::move(share)),
      caller_(std::make_shared<router::Caller>(router::Caller{peer.identity(), peer.identity(),
                                                              nullptr, peer.ids(), peer.process,
                                                              peer.image, peer.flow(), true})),
      last_use_(endpoint_->next_use()) {}

uint64_t Session::version() const { return endpoint_->version(); }

bool Session::serves(std::string_view service) const { return endpoint_->serves(service); }

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
  last_use_ = endpoint_->next_use();
  const std::string_view method = std::string_view(head.path).substr(1);
  const std::string_view service = method.substr(0, method.find('/'));
  const EndpointContext& context = endpoint_->context();
  if (endpoint_->serves(service)) {
    return start_routed_call(head, std::move(stream),
                             {context.router, context.runner, caller_, *this});
  }
  auto builtin = start_builtin_call(
      head, stream, context.catalog.get(),
      [endpoint = endpoint_](std::string_view name) { return endpoint->serves(name); });
  if (!builtin) {
    stream->finish(StatusCode::kUnimplemented,
                   "this endpoint does not serve the service \"" + std::string(service) + "\"", {});
  }
  return builtin;
}

}  // namespace

Result<std::shared_ptr<Endpoint>> Endpoint::open(EndpointOptions options, EndpointContext context,
                                                 const MakeListener& listen) {
  auto listener = listen(context.io, options.listener);
  if (!listener) return std::move(listener).error();
  auto endpoint =
      std::make_shared<ListeningEndpoint>(std::move(options), context, std::move(*listener));
  endpoint->accept();
  return std::shared_ptr<Endpoint>(std::move(endpoint));
}

}  // namespace longshore::endpoint
