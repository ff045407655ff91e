#include "csi/csi_service.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <system_error>
#include <utility>

#include "csi/driver_name.h"
#include "csi_description.h"
#include "longshore/csi_address.hpp"
#include "longshore/host/csi.pb.h"
#include "router/call.h"
#include "router/method_name.h"
#include "router/parsed_request.h"

namespace longshore::csi {
namespace {

constexpr const char* kWatchDriver = "WatchDriver";

Error too_many(const std::string& what) {
  return Error(StatusCode::kResourceExhausted, "call the CSI driver").because(what);
}

}  // namespace

Result<std::shared_ptr<CsiService>> CsiService::make() {
  return services::make_host_service<CsiService>(csi_description);
}

Result<void> CsiService::begin(router::Call& call) {
  return call.method().name == kWatchDriver ? begin_watch(call) : begin_call(call);
}

Result<void> CsiService::begin_watch(router::Call& call) {
  const auto request = router::parsed_request<host::v1::WatchCsiDriverRequest>(call.request());
  if (!request) return request.error();
  const auto path = csi_socket_path(request->address());
  return path ? watches_.follow(call, *path) : path.error();
}

Result<void> CsiService::begin_call(router::Call& call) {
  auto message = router::parsed_request<host::v1::CsiCallRequest>(call.request());
  if (!message) return std::move(message).error();
  host::v1::CsiCallRequest& request = *message;
  auto path = csi_socket_path(request.address());
  if (!path) return std::move(path).error();
  if (!router::is_method_name(request.method())) {
    return Error(StatusCode::kInvalidArgument, "call the CSI driver's method", request.method())
        .because("it is not of the form package.Service/Method");
  }
  if (call.method().name == "CallIdentity" && !request.method().starts_with("csi.v1.Identity/")) {
    return Error(StatusCode::kInvalidArgument, "call the CSI driver's method", request.method())
        .because("it is not of csi.v1.Identity")
        .advise("call it by longshore.host.v1.Csi/Call");
  }
  // Drivers' own socket or not: what else may listen there is not for controllers to call.
  if (!request.method().starts_with("csi.v1.")) {
    return Error(StatusCode::kPermissionDenied, "call the CSI driver's method", request.method())
        .because("controllers call methods of csi.v1 alone");
  }
  auto added = add(call.handle(),
                   std::make_shared<DriverCall>(DriverCall::Parts{
                       .call = std::static_pointer_cast<router::Call>(call.shared_from_this()),
                       .deadline = call.deadline(),
                       .path = *std::move(path),
                       .method = std::move(*request.mutable_method()),
                       .request = std::move(*request.mutable_request()),
                       .fresh_connection = request.fresh_connection(),
                       .metrics = metrics_}));
  // It may have been cancelled before this knew of it.
  if (added && call.state() == LONGSHORE_CANCELLED) on_cancel(call);
  return added;
}

Result<void> CsiService::add(uint64_t handle, std::shared_ptr<DriverCall> call) {
  const std::lock_guard lock(mutex_);
  if (calls_.size() >= kMaxCalls) {
    return too_many(std::to_string(kMaxCalls) + " calls are under way");
  }
  if (auto begun = begin_thread(); !begun) return begun;
  calls_[handle] = call;
  boost::asio::post(io_, [this, handle, call = std::move(call)] { connect(handle, call); });
  return {};
}

Result<void> CsiService::post(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  if (auto begun = begin_thread(); !begun) return begun;
  boost::asio::post(io_, std::move(function));
  return {};
}

Result<void> CsiService::begin_thread() {
  if (is_stopped_) {
    return Error(StatusCode::kUnavailable, "call the CSI driver").because("the agent is ending");
  }
  if (thread_.joinable()) return {};
  try {
    thread_ = std::thread([this] { io_.run(); });
  } catch (const std::system_error& error) {
    return too_many(std::string("there is no thread for it: ") + error.what());
  }
  return {};
}

void CsiService::connect(uint64_t handle, const std::shared_ptr<DriverCall>& call) {
  const auto forget = [this, handle] {
    const std::lock_guard lock(mutex_);
    calls_.erase(handle);
  };
  if (call->wants_fresh_connection()) {
    const auto own = std::make_shared<DriverConnection>(io_, call->path());
    call->on_over([forget, own] {
      own->close();
      forget();
    });
    return own->call(call);
  }
  const auto shared = shared_connection(call->path());
  if (!shared) {
    call->on_over(forget);
    return call->fail(shared.error());
  }
  call->on_over([forget, held = *shared] { forget(); });
  (*shared)->call(call);
}

Result<std::shared_ptr<DriverConnection>> CsiService::shared_connection(const std::string& path) {
  const auto found = connections_.find(path);
  if (found != connections_.end()) return found->second;
  if (connections_.size() >= kMaxConnections) {
    const auto idle = std::find_if(connections_.begin(), connections_.end(),
                                   [](const auto& each) { return each.second.use_count() == 1; });
    if (idle == connections_.end()) {
      return too_many(std::to_string(connections_.size()) + " other drivers are called or watched");
    }
    idle->second->close();
    connections_.erase(idle);
  }
  return connections_[path] = std::make_shared<DriverConnection>(io_, path);
}

std::shared_ptr<DriverConnection> CsiService::watched_connection(const std::string& path) {
  std::shared_ptr<DriverConnection>& connection = connections_[path];
  if (!connection) connection = std::make_shared<DriverConnection>(io_, path);
  return connection;
}

void CsiService::ask_name(const std::string& address,
                          std::function<void(Result<std::string>)> on_name) {
  const auto path = csi_socket_path(address);
  if (!path) return on_name(path.error());
  const auto posted = post([this, path = *path, on_name] {
    const auto call = std::make_shared<DriverCall>(
        DriverCall::Parts{.call = nullptr,
                          .deadline = router::Clock::now() + kNameTimeout,
                          .path = path,
                          .method = kGetPluginInfo,
                          .request = {},
                          .metrics = metrics_});
    call->on_answer([on_name, path](const Result<std::string>& answer) {
      if (!answer) return on_name(answer.error());
      std::string name = driver_name_in(*answer);
      if (!name.empty()) return on_name(std::move(name));
      on_name(Error(StatusCode::kFailedPrecondition, "ask the CSI driver's name at", path)
                  .because("its answer to GetPluginInfo has none, or one of more than the " +
                           std::to_string(kMostDriverName) + " characters that CSI allows"));
    });
    watched_connection(path)->call(call);
  });
  if (!posted) on_name(posted.error());
}

void CsiService::on_end(router::Call& call) {
  if (call.method().name == kWatchDriver) watches_.remove(call);
}

void CsiService::on_cancel(router::Call& call) {
  if (call.method().name == kWatchDriver) return HostServiceTarget::on_cancel(call);
  std::shared_ptr<DriverCall> cancelled;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(call.handle());
    if (found == calls_.end()) return;
    cancelled = found->second;
    if (!is_stopped_) boost::asio::post(io_, [cancelled] { cancelled->cancel(); });
  }
  // At once: nobody who is to end waits for the driver.
  if (const auto taken = cancelled->take_call()) {
    taken->finish(StatusCode::kCancelled, "nobody listens any more");
  }
}

void CsiService::stop() {
  std::map<uint64_t, std::shared_ptr<DriverCall>> calls;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_stopped_, true)) return;
    calls = calls_;
  }
  for (const auto& [handle, call] : calls) {
    if (const auto taken = call->take_call()) {
      taken->finish(StatusCode::kUnavailable, "the agent is ending");
    }
  }
  if (!thread_.joinable()) return;
  boost::asio::post(io_, [this, calls = std::move(calls)] {
    watches_.end();
    for (const auto& [handle, call] : calls) call->cancel();
    for (const auto& [path, connection] : connections_) connection->close();
    boost::asio::post(io_, [this] { io_.stop(); });  // after what that has cancelled
  });
  thread_.join();
}

}  // namespace longshore::csi
