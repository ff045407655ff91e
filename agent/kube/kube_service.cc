#include "kube/kube_service.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "kube/loaded_loop.h"
#include "kube/object.h"
#include "kube_description.h"
#include "longshore/host/kube.pb.h"

namespace longshore::kube {
namespace {

constexpr const char* kEnding = "the agent is ending";
constexpr std::chrono::seconds kRefusedFor{10};

Error too_many(const std::string& what) {
  return Error(StatusCode::kResourceExhausted, "ask the API server").because(what);
}

// What a controller would take for the server's word on an object is none where the server was not
// asked, as when a file of credentials is not found.
StatusCode code_of(const ApiError& error) {
  if (error.reason() != ApiReason::kNoAnswer) return error.code();
  switch (error.code()) {
    case StatusCode::kCancelled:
    case StatusCode::kDataLoss:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kResourceExhausted:
    case StatusCode::kUnavailable:
      return error.code();
    default:
      return StatusCode::kFailedPrecondition;
  }
}

// Objects go on without managedFields. What is no object, as the answer of a review, as it is.
std::string object_reply(const std::string& json) {
  host::v1::KubeObject message;
  message.set_object(json);
  return message.SerializeAsString();
}

std::string page_reply(ObjectPage page) {
  host::v1::KubeObjectPage message;
  for (Object& object : page.objects) message.add_objects(std::move(object.json));
  message.set_resource_version(std::move(page.resource_version));
  message.set_next_page_token(std::move(page.next));
  return message.SerializeAsString();
}

// Whether a watch of this path has the object.
bool covers(const Selection& selection, const ResourcePath& object) {
  // What a selector names is the server's to say.
  if (!selection.label_selector.empty() || !selection.field_selector.empty()) return false;
  const auto watched = parse_resource_path(selection.path);
  return watched && watched->group == object.group && watched->version == object.version &&
         watched->resource == object.resource &&
         (watched->name_space.empty() || watched->name_space == object.name_space);
}

}  // namespace

Result<std::shared_ptr<KubeService>> KubeService::make(LeaseDrivers drivers, MakeLoop make_loop) {
  auto service = services::make_host_service<KubeService>(kube_description);
  if (!service) return service;
  (*service)->make_loop_ = std::move(make_loop);
  (*service)->elections_.set_drivers(std::move(drivers));
  return service;
}

Result<std::unique_ptr<ApiLoop>> KubeService::make_loaded_loop(const config::AgentSettings& agent) {
  return load_loop(client_library_file(), agent);
}

void KubeService::start(router::Timers&, observe::Log& log,
                        const services::CurrentConfiguration& configuration) {
  log_ = &log;
  configuration_ = configuration;
}

Result<void> KubeService::begin(router::Call& call) {
  const auto configuration = configuration_();
  const auto& modules = configuration->modules;
  const auto controller =
      std::ranges::find(modules, call.caller().module, &config::ModuleSettings::name);
  auto asked = asked_request(call, controller == modules.end() ? nullptr : &*controller);
  if (!asked) return std::move(asked).error();
  return post_at_once([this, asked = *std::move(asked),
                       call = std::static_pointer_cast<router::Call>(
                           call.shared_from_this())]() mutable { run(call, std::move(asked)); });
}

Result<void> KubeService::post_at_once(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  if (is_stopped_) {
    return Error(StatusCode::kUnavailable, "ask the API server").because(kEnding);
  }
  if (!loop_) {
    auto loop = make_loop_(configuration_()->agent);
    if (!loop) return std::move(loop).error();
    loop_ = *std::move(loop);
  }
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { loop_->run(); });
    } catch (const std::system_error& error) {
      return too_many(std::string("there is no thread for it: ") + error.what());
    }
  }
  loop_->post(std::move(function));
  return {};
}

void KubeService::run(const std::shared_ptr<router::Call>& call, AskedRequest asked) {
  if (call->is_over()) return;  // it was cancelled meanwhile
  const bool is_watch = asked.answer == AskedRequest::Answer::kWatch;
  Result<void> ready = find_place(call->caller().module, is_watch);
  if (ready) ready = connect();
  if (!ready) {
    call->finish(ready.error().code(), ready.error().message());
    return;
  }
  // Its end may come at any time from here on, and is posted behind this.
  Running& running = running_[call->handle()];
  running.call = call;
  running.is_watch = is_watch;
  if (is_watch) {
    begin_watch(running, asked);
    return;
  }
  Request request = std::move(asked.request);
  if (request.method != Method::kGet && !asked.lease.settings.lease.empty()) {
    request.permit = elections_.permit(asked.lease);
  }
  running.request =
      access_->request(std::move(request), [this, call, asked = std::move(asked)](Outcome outcome) {
        answer(*call, asked, std::move(outcome));
      });
}

Result<void> KubeService::find_place(const std::string& controller, bool is_watch) const {
  size_t own = 0;
  size_t left = kMaxCalls;
  for (const auto& [handle, running] : running_) {
    if (running.is_watch != is_watch) continue;
    --left;
    if (running.call->caller().module == controller) ++own;
  }
  if (own < left) return {};
  return too_many("the controller has " + std::to_string(own) +
                  (is_watch ? " watches" : " requests") + " under way, and of " +
                  std::to_string(kMaxCalls) + " places " + std::to_string(left) + " are left");
}

void KubeService::begin_watch(Running& running, const AskedRequest& asked) {
  std::erase_if(refusals_, [now = std::chrono::steady_clock::now()](const auto& each) {
    return each.second.until <= now;
  });
  if (const auto refusal = refusals_.find(asked.selection); refusal != refusals_.end()) {
    finish_forbidden(*running.call, refusal->second.cause);
    return;
  }
  running.watched = asked.selection;
  const auto informer = informers_->find(asked.selection);
  running.stream =
      std::make_shared<WatchStream>(*loop_, running.call, cache_of(informer), asked.fields);
  tell(*running.stream, informer->state());
  running.stream->send();
}

// What is forbidden is told by the watch's end, unless the server has only not begun to allow it.
void KubeService::tell(WatchStream& stream, const Reflector::State& state) {
  if (state.refusals == 0) stream.set_cause(state.cause);
}

Result<void> KubeService::connect() {
  if (access_) return {};
  auto access = new_access();
  if (!access) return std::move(access).error();
  access_ = *std::move(access);
  informers_ = std::make_unique<Informers>(
      *access_, loop_->timing(), [this](const Selection& selection, const Reflector::State& state) {
        told(selection, state);
      });
  return {};
}

Result<std::unique_ptr<ApiAccess>> KubeService::new_access() {
  const config::KubeSettings settings = configuration_()->agent.kube;
  const RequestLimit limit{settings.api_qps, static_cast<double>(settings.api_burst)};
  auto access =
      loop_->access({.kubeconfig = settings.kubeconfig,
                     .limit = limit,
                     .warn = [this](const std::string& sentence) { log_->warning(sentence); },
                     .metrics = metrics_});
  if (access) return access;
  // Whatever the code: none of an object is meant.
  return Error(StatusCode::kFailedPrecondition, "ask the API server")
      .because(access.error().message())
      .advise(settings.kubeconfig.empty()
                  ? "set agent.kube.kubeconfig, by --kubeconfig in csi-sidecars, or run it in a Pod"
                  : "");
}

Result<ApiAccess*> KubeService::access_to_leases() {
  if (!access_to_leases_) {
    auto access = new_access();
    if (!access) return std::move(access).error();
    access_to_leases_ = *std::move(access);
  }
  return access_to_leases_.get();
}

void KubeService::answer(router::Call& call, const AskedRequest& asked, Outcome outcome) {
  if (!outcome && outcome.error().reason() == ApiReason::kForbidden) {
    finish_forbidden(call, outcome.error().message());
    return;
  }
  if (!outcome) {
    call.finish(code_of(outcome.error()), outcome.error().message());
    return;
  }
  const auto reply = reply_of(asked, outcome.response().body);
  if (!reply) {
    call.finish(reply.error().code(), reply.error().message());
    return;
  }
  call.send(*reply);
  call.finish(StatusCode::kOk, {});
}

Result<std::string> KubeService::reply_of(const AskedRequest& asked, const std::string& body) {
  if (asked.answer == AskedRequest::Answer::kNothing) return std::string();
  if (asked.answer == AskedRequest::Answer::kPage) {
    auto page = parse_object_page(body);
    if (page) return page_reply(*std::move(page));
    return Error(page.error().code(), "list", asked.resource.text())
        .because(page.error().message());
  }
  const auto object = parse_object(body);
  if (!object) return object_reply(body);
  if (asked.request.method != Method::kGet) take(asked, *object);
  return object_reply(object->json);
}

void KubeService::take(const AskedRequest& asked, const Object& object) {
  if (!informers_) return;  // the agent is ending
  for (const auto& [selection, informer] : informers_->all()) {
    if (covers(selection, asked.resource)) informer->cache().take(object);
  }
}

void KubeService::told(const Selection& selection, const Reflector::State& state) {
  if (state.is_refused()) return refuse(selection, state.cause);
  for (const auto& [handle, running] : running_) {
    if (running.stream && running.watched == selection) tell(*running.stream, state);
  }
  if (state.cause.empty()) {
    log_->info("the API server's objects are known again", {{"path", selection.path}});
  } else {
    log_->warning("the API server's objects are not known as they are now; this is tried again",
                  {{"path", selection.path}, {"cause", state.cause}});
  }
}

// Its controllers tell it, and ask again.
void KubeService::refuse(const Selection& selection, const std::string& cause) {
  refusals_[selection] = {cause, std::chrono::steady_clock::now() + kRefusedFor};
  for (const auto& [handle, running] : running_) {
    if (running.stream && running.watched == selection) {
      finish_forbidden(*running.call, cause);
    }
  }
}

void KubeService::finish_forbidden(router::Call& call, const std::string& cause) {
  std::string text = cause;
  {
    const std::lock_guard lock(mutex_);
    const auto role = role_files_.find(call.caller().module);
    if (role != role_files_.end()) text += "; the controller's role is in " + role->second;
  }
  call.finish(StatusCode::kPermissionDenied, std::move(text));
}

void KubeService::modules_changed(const services::ModuleStates& modules) {
  {
    const std::lock_guard lock(mutex_);
    role_files_.clear();
    for (const services::ModuleState& module : modules) {
      if (!module.role_file.empty()) role_files_[module.name] = module.role_file;
    }
  }
  elections_.modules_changed(modules);
}

void KubeService::told(const std::string& sentence, bool is_loss) {
  if (is_loss) {
    log_->warning(sentence);
  } else {
    log_->info(sentence);
  }
}

void KubeService::post(std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  if (!is_stopped_ && thread_.joinable()) loop_->post(std::move(function));
}

void KubeService::on_writable(router::Call& call) {
  post([this, handle = call.handle()] {
    const auto found = running_.find(handle);
    if (found != running_.end() && found->second.stream) found->second.stream->send();
  });
}

void KubeService::on_end(router::Call& call) {
  post([this, handle = call.handle()] {
    const auto found = running_.find(handle);
    if (found == running_.end()) return;
    if (found->second.request) found->second.request->cancel();
    running_.erase(found);
  });
}

void KubeService::end_calls() {
  for (const auto& [handle, running] : running_) {
    running.call->finish(StatusCode::kUnavailable, kEnding);
    if (running.request) running.request->cancel();
  }
  running_.clear();
  informers_.reset();
  access_.reset();
}

void KubeService::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_stopped_, true)) return;
  }
  if (!thread_.joinable()) return;
  loop_->post([this] {
    end_calls();
    elections_.end([this] {
      loop_->post([this] { loop_->stop(); });  // after what that has cancelled
    });
  });
  thread_.join();
}

}  // namespace longshore::kube
