#include "main/endpoint_service.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <system_error>
#include <utility>

#include "endpoint_description.h"
#include "longshore/host/endpoint.pb.h"
#include "longshore/socket_path.hpp"
#include "main/own_places.h"
#include "router/method_name.h"
#include "router/parsed_request.h"

namespace longshore {
namespace {

using host::v1::EndpointEvent;

std::string event_of(EndpointEvent::Type type) {
  EndpointEvent event;
  event.set_type(type);
  return event.SerializeAsString();
}

Error cannot_serve_on(StatusCode code, const std::string& path) {
  return Error(code, "serve gRPC on the socket", path);
}

Result<void> check_path(const std::string& path) {
  const std::filesystem::path parsed(path);
  if (!path.starts_with('/') || path.find('\0') != path.npos || !parsed.has_filename() ||
      parsed.lexically_normal().string() != path) {
    return cannot_serve_on(StatusCode::kInvalidArgument, path)
        .because("it is not the absolute path of a Unix socket");
  }
  if (const std::string excess = socket_path_excess(path); !excess.empty()) {
    return cannot_serve_on(StatusCode::kInvalidArgument, path)
        .because("the " + excess)
        .advise("mount its folder at a shorter path");
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<EndpointService>> EndpointService::make() {
  return services::make_host_service<EndpointService>(endpoint_description);
}

EndpointService::EndpointService(loader::ModuleDescription description)
    : HostServiceTarget(std::move(description)),
      places_(files::FileWatch::make(io_, [this] { look_again(); })) {}

void EndpointService::start(router::Timers&, observe::Log& log,
                            const services::CurrentConfiguration& configuration) {
  log_ = &log;
  configuration_ = configuration;
  removals_.emplace(log, &observe::RateLimitedLog::Clock::now, observe::RateLimitedLog::kFew);
}

Result<void> EndpointService::begin(router::Call& call) {
  const bool is_serve = call.method().name == "Serve";
  if (auto taken = is_serve ? serve(call) : respond(call); !taken) return taken;
  if (!is_serve) {
    call.send({});
    call.finish(StatusCode::kOk, {});
  } else if (call.state() == LONGSHORE_CANCELLED) {
    on_cancel(call);  // which came before this could know of the call
  }
  return {};
}

Result<void> EndpointService::serve(router::Call& call) {
  auto message = router::parsed_request<host::v1::EndpointServeRequest>(call.request());
  if (!message) return std::move(message).error();
  const host::v1::EndpointServeRequest& request = *message;
  if (auto checked = check_path(request.path()); !checked) return checked;
  ServedSocket::Options options;
  options.path = request.path();
  options.methods = {request.methods().begin(), request.methods().end()};
  if (options.methods.empty() || options.methods.size() > kMaxMethods) {
    return cannot_serve_on(StatusCode::kInvalidArgument, request.path())
        .because("it has " + std::to_string(options.methods.size()) + " methods; from one to " +
                 std::to_string(kMaxMethods) + " can be served");
  }
  for (const std::string& method : options.methods) {
    if (router::is_method_name(method)) continue;
    return cannot_serve_on(StatusCode::kInvalidArgument, request.path())
        .because("its method \"" + method + "\" is not of the form package.Service/Method");
  }
  options.on_call = [this, serve = call.handle()](ServedSocket::ClientCall client) {
    return take(serve, std::move(client));
  };
  options.give_up = [this](uint64_t id) { return give_up(id); };
  return add(call, std::move(options));
}

Result<void> EndpointService::add(router::Call& call, ServedSocket::Options options) {
  const std::string path = options.path;
  const Served served{std::make_shared<ServedSocket>(io_, *log_, std::move(options)),
                      call.caller().module,
                      std::static_pointer_cast<router::Call>(call.shared_from_this())};
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) {
      return cannot_serve_on(StatusCode::kUnavailable, path).because("the agent is ending");
    }
    if (sockets_.size() >= kMaxSockets) {
      return cannot_serve_on(StatusCode::kResourceExhausted, path)
          .because(std::to_string(kMaxSockets) + " sockets are served already");
    }
    if (std::ranges::any_of(sockets_,
                            [&](const auto& each) { return each.second.socket->path() == path; })) {
      return cannot_serve_on(StatusCode::kAlreadyExists, path)
          .because("another controller serves on it")
          .advise("give one of them another path");
    }
    if (!thread_.joinable()) {
      try {
        thread_ = std::thread([this] { io_.run(); });
      } catch (const std::system_error& error) {
        return cannot_serve_on(StatusCode::kResourceExhausted, path)
            .because(std::string("there is no thread for it: ") + error.what());
      }
    }
    sockets_[call.handle()] = served;
    boost::asio::post(io_, [this, served] { open(served); });
  }
  if (call.is_over()) on_end(call);  // which did not find it
  return {};
}

Result<void> EndpointService::listen(ServedSocket& socket) const {
  if (auto kept_off = keep_off_own_places(socket.path(), *configuration_()); !kept_off) {
    return kept_off;
  }
  return socket.listen();
}

void EndpointService::open(const Served& served) {
  const auto call = served.call.lock();
  if (!call || call->is_over()) return;  // it is closed next
  if (const auto listening = listen(*served.socket); !listening) {
    return fail(*call, listening.error());
  }
  pending_.listening(*call, event_of(EndpointEvent::TYPE_LISTENING));
  watch_places();
}

std::vector<EndpointService::Served> EndpointService::all() {
  std::vector<Served> all;
  const std::lock_guard lock(mutex_);
  all.reserve(sockets_.size());
  for (const auto& [handle, served] : sockets_) all.push_back(served);
  return all;
}

void EndpointService::watch_places() {
  files::FileWatch::Paths paths;
  for (const Served& served : all()) paths.insert(served.socket->path());
  if (paths == watched_) return;
  watched_ = paths;
  if (const auto watching = places_->watch(std::move(paths)); !watching) {
    watched_.clear();
    log_->warning("a controller's socket that somebody removes is not noticed",
                  {{"reason", watching.error().message()}});
  }
  look_again();  // what has gone before it was watched, or between one watch and the next
}

void EndpointService::look_again() {
  for (const Served& served : all()) {
    const auto call = served.call.lock();
    // One that is not open yet, or is to be closed, is looked at by nobody.
    if (!call || call->is_over() || !served.socket->is_listening()) continue;
    if (served.socket->check_place()) continue;
    if (const auto listening = listen(*served.socket); !listening) {
      fail(*call, listening.error());
      continue;
    }
    // Who may write to the folder could do it as fast as it is made.
    removals_->write(observe::Level::kWarning,
                     "somebody has removed or replaced a controller's socket, which was made anew",
                     {{"path", served.socket->path()}});
    pending_.listening(*call, event_of(EndpointEvent::TYPE_LISTENING));
  }
}

void EndpointService::fail(router::Call& call, const Error& error) {
  forget(call.handle());  // who hears of it may want the path again
  call.finish(error.code(), error.message());
}

void EndpointService::on_end(router::Call& call) {
  pending_.remove(call);
  forget(call.handle());
}

void EndpointService::forget(uint64_t serve) {
  const std::lock_guard lock(mutex_);
  const auto found = sockets_.find(serve);
  if (found == sockets_.end()) return;
  // Their clients hear of it as their connections end.
  std::erase_if(waiting_, [&](const auto& each) { return each.second.serve == serve; });
  if (!is_stopped_) {
    boost::asio::post(io_, [this, socket = found->second.socket] {
      socket->close();
      watch_places();
    });
  }
  sockets_.erase(found);
}

uint64_t EndpointService::take(uint64_t serve, ServedSocket::ClientCall client) {
  std::shared_ptr<router::Call> call;
  uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto served = sockets_.find(serve);
    if (served != sockets_.end()) call = served->second.call.lock();
    const auto waiting = std::ranges::count_if(
        waiting_, [&](const auto& each) { return each.second.serve == serve; });
    if (call && std::cmp_less(waiting, kMaxWaiting)) {
      id = ++last_id_;
      waiting_[id] = {serve, served->second.module, client.stream};
    }
  }
  if (!call) {
    client.stream->finish(StatusCode::kUnavailable, "nobody serves this any more", {});
    return 0;
  }
  if (id == 0) {
    client.stream->finish(StatusCode::kResourceExhausted,
                          std::to_string(kMaxWaiting) + " calls wait for an answer", {});
    return 0;
  }
  EndpointEvent event;
  event.set_type(EndpointEvent::TYPE_CALL);
  event.set_id(id);
  event.set_method(std::move(client.method));
  event.set_message(std::move(client.message));
  if (pending_.request(*call, id, event.SerializeAsString())) return id;
  {
    const std::lock_guard lock(mutex_);
    waiting_.erase(id);
  }
  client.stream->finish(StatusCode::kUnavailable, "who serves this does not read its calls", {});
  return 0;
}

bool EndpointService::give_up(uint64_t id) {
  std::shared_ptr<router::Call> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(id);
    if (found == waiting_.end()) return false;
    const auto served = sockets_.find(found->second.serve);
    if (served != sockets_.end()) call = served->second.call.lock();
    waiting_.erase(found);
  }
  EndpointEvent event;
  event.set_type(EndpointEvent::TYPE_GONE);
  event.set_id(id);
  if (call) pending_.gone(*call, id, event.SerializeAsString());
  return true;
}

Result<void> EndpointService::respond(const router::Call& call) {
  auto message = router::parsed_request<host::v1::EndpointRespondRequest>(call.request());
  if (!message) return std::move(message).error();
  host::v1::EndpointRespondRequest& request = *message;
  const auto refused = [&](StatusCode code, std::string why) {
    return Error(code, "answer the call", std::to_string(request.id())).because(std::move(why));
  };
  if (request.code() < 0 || request.code() > static_cast<int>(StatusCode::kUnauthenticated)) {
    return refused(StatusCode::kInvalidArgument,
                   std::to_string(request.code()) + " is no status code of gRPC");
  }
  if (request.message().size() > ServedSocket::kMaxMessageBytes) {
    return refused(
        StatusCode::kInvalidArgument,
        "its message has more than " + std::to_string(ServedSocket::kMaxMessageBytes) + " bytes");
  }
  std::shared_ptr<rpc::ServerStream> stream;
  {
    const std::lock_guard lock(mutex_);
    const auto found = waiting_.find(request.id());
    if (found == waiting_.end() || found->second.module != call.caller().module) {
      return refused(StatusCode::kNotFound, "nobody waits for it any more");
    }
    stream = std::move(found->second.stream);
    waiting_.erase(found);
  }
  if (request.code() == 0) {
    stream->send_and_finish(std::move(*request.mutable_message()));
  } else {
    stream->finish(static_cast<StatusCode>(request.code()), std::move(*request.mutable_text()), {});
  }
  return {};
}

void EndpointService::stop() {
  std::map<uint64_t, Served> sockets;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_stopped_, true)) return;
    sockets.swap(sockets_);
    waiting_.clear();
  }
  for (const auto& [handle, served] : sockets) {
    if (const auto call = served.call.lock()) {
      call->finish(StatusCode::kUnavailable, "the agent is ending");
    }
  }
  if (!thread_.joinable()) return;
  boost::asio::post(io_, [this, sockets = std::move(sockets)] {
    static_cast<void>(places_->watch({}));
    for (const auto& [handle, served] : sockets) served.socket->close();
    boost::asio::post(io_, [this] { io_.stop(); });  // after what that has ended
  });
  thread_.join();
  removals_.reset();  // which may have something to tell, while there is a log
}

}  // namespace longshore
