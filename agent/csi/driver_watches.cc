#include "csi/driver_watches.h"

#include <utility>

#include "longshore/csi_address.hpp"

namespace longshore::csi {

using services::RunCondition;

Result<void> DriverWatches::follow(router::Call& call, const std::string& path) {
  return parts_.post(
      [this, path, kept = std::static_pointer_cast<router::Call>(call.shared_from_this())] {
        add(kept, path);
      });
}

void DriverWatches::add(const std::shared_ptr<router::Call>& call, const std::string& path) {
  Result<void> added;
  if (!watches_.contains(path) && watches_.size() >= kMaxWatches) {
    added = Error(StatusCode::kResourceExhausted, "watch the CSI driver at", path)
                .because(std::to_string(watches_.size()) + " others are watched");
  } else {
    added = streams_.add(*call, path);
  }
  if (!added) {
    call->finish(added.error().code(), added.error().message());
    return;
  }
  watch(path);
  if (call->is_over()) end_unfollowed();  // before it was added, which nobody has told
}

void DriverWatches::remove(router::Call& call) {
  streams_.remove(call);
  static_cast<void>(parts_.post([this] { end_unfollowed(); }));  // at the end it all ends
}

std::shared_ptr<RunCondition> DriverWatches::condition(const config::ModuleSettings& controller) {
  const auto path = csi_socket_path(controller.wait_for_driver);
  std::shared_ptr<RunCondition> condition;
  {
    const std::lock_guard lock(mutex_);
    if (!path) {  // there is none: the configuration takes no other that is wrong
      conditions_.unname(controller.name);
      return nullptr;
    }
    std::shared_ptr<RunCondition>& known = conditions_.name(controller.name, *path);
    if (known) return known;
    condition = known = std::make_shared<RunCondition>("the CSI driver at \"" + *path +
                                                       "\" has not been asked yet");
  }
  const auto posted =
      parts_.post([this, path = *path] { tell_condition(path, watch(path).state()); });
  if (!posted) condition->fail(posted.error().message());
  return condition;
}

void DriverWatches::modules_changed(const services::ModuleStates& modules) {
  bool has_changed = false;
  {
    const std::lock_guard lock(mutex_);
    has_changed = conditions_.keep_named_by(modules);
  }
  if (has_changed) static_cast<void>(parts_.post([this] { end_unfollowed(); }));
}

void DriverWatches::end() {
  for (const auto& [path, watch] : watches_) watch->end();
  watches_.clear();
  streams_.finish(StatusCode::kUnavailable, "the agent is ending");
}

DriverWatch& DriverWatches::watch(const std::string& path) {
  std::shared_ptr<DriverWatch>& watch = watches_[path];
  if (watch) return *watch;
  watch = std::make_shared<DriverWatch>(
      io_, DriverWatch::Parts{
               .path = path,
               .connection = parts_.connection(path),
               .metrics = parts_.metrics,
               .log = parts_.log(),
               .tell = [this, path](const DriverWatch::State& state) { tell(path, state); }});
  watch->start();
  return *watch;
}

void DriverWatches::end_unfollowed() {
  std::erase_if(watches_, [this](const auto& each) {
    const auto& [path, watch] = each;
    if (streams_.is_read(path) || condition_of(path)) return false;
    watch->end();
    streams_.set(path, {}, true);  // who comes later is to hear of its own watch
    return true;
  });
}

void DriverWatches::tell(const std::string& path, const DriverWatch::State& state) {
  streams_.set(path, state.SerializeAsString());
  tell_condition(path, state);
}

void DriverWatches::tell_condition(const std::string& path, const DriverWatch::State& state) {
  const auto condition = condition_of(path);
  if (!condition || state.state() == DriverWatch::State::STATE_UNSPECIFIED) return;
  if (state.state() == DriverWatch::State::STATE_READY) return condition->meet();
  condition->fail(state.reason());
}

std::shared_ptr<RunCondition> DriverWatches::condition_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  return conditions_.find(path);
}

}  // namespace longshore::csi
