#include "tests/unit/kube/model_server.h"

#include <algorithm>
#include <utility>

namespace longshore::test {
namespace {

using kube::ApiError;
using kube::ApiReason;
using kube::WatchEvent;

constexpr int kKeys = 12;
constexpr size_t kPageObjects = 3;

ApiError failed(ApiReason reason, StatusCode code = StatusCode::kUnavailable) {
  std::optional<std::chrono::seconds> retry_after;
  if (reason == ApiReason::kTooManyRequests) retry_after.emplace(1);
  return {Error(code, "do it").because("of the model"), reason, 0, retry_after};
}

std::string asked(const kube::Request& request, const std::string& name) {
  for (const auto& [each, value] : request.query) {
    if (each == name) return value;
  }
  return {};
}

}  // namespace

struct ModelServer::Pending final : kube::Call {
  void cancel() override { is_cancelled = true; }

  kube::Request request;
  std::function<void(kube::Outcome)> on_done;
  kube::Watch watch;
  bool is_watch = false;
  bool is_cancelled = false;
  bool has_begun = false;
  int told = 0;  // a watch has all up to here
};

kube::Object ModelServer::next_state(const std::string& key) {
  ++state_.version;
  kube::Object made = object(key, state_.version, std::to_string(below(1'000'000)));
  all_.insert(made.json);
  keys_.insert(key);
  return made;
}

std::optional<kube::Object> ModelServer::change() {
  const int number = below(kKeys);
  const std::string key = (number % 2 == 0 ? "n/" : "") + std::to_string(number);
  const bool deletes = state_.objects.contains(key) && below(3) == 0;
  kube::Object made = next_state(key);
  state_.changes[state_.version] = {
      deletes ? WatchEvent::Type::kDeleted : WatchEvent::Type::kChanged, made};
  if (deletes) {
    state_.objects.erase(key);
    state_.deletions[key] = state_.version;
    return std::nullopt;
  }
  state_.objects[key] = made;
  return made;
}

bool ModelServer::has_deleted(const std::string& key, int version) const {
  const auto found = state_.deletions.find(key);
  return found != state_.deletions.end() && found->second > version;
}

void ModelServer::expire() {
  oldest_ = state_.version;
  rests_.clear();
  // Watches that run are brought what they have not had yet.
  int needed = oldest_;
  for (const auto& each : pending_) {
    if (each->is_watch) needed = std::min(needed, each->told);
  }
  state_.changes.erase(state_.changes.begin(), state_.changes.upper_bound(needed));
}

void ModelServer::back_up() { backup_ = state_; }

void ModelServer::restore() {
  state_ = backup_;
  oldest_ = std::min(oldest_, state_.version);
  rests_.clear();
  is_restored_ = true;
}

std::shared_ptr<kube::Call> ModelServer::request(kube::Request request,
                                                 std::function<void(kube::Outcome)> on_done) {
  auto pending = std::make_shared<Pending>();
  pending->request = std::move(request);
  pending->on_done = std::move(on_done);
  pending_.push_back(pending);
  return pending;
}

std::shared_ptr<kube::Call> ModelServer::watch(kube::Watch watch) {
  auto pending = std::make_shared<Pending>();
  pending->is_watch = true;
  pending->told = std::stoi(asked(watch.request, "resourceVersion"));
  pending->watch = std::move(watch);
  pending_.push_back(pending);
  return pending;
}

void ModelServer::end(const std::shared_ptr<Pending>& pending, kube::Outcome outcome) {
  std::erase(pending_, pending);
  if (pending->is_watch) {
    pending->watch.on_end(outcome);
  } else {
    pending->on_done(std::move(outcome));
  }
}

void ModelServer::serve(bool may_fail) {
  if (pending_.empty()) return;
  const std::shared_ptr<Pending> pending =
      pending_[static_cast<size_t>(below(static_cast<int>(pending_.size())))];
  if (pending->is_cancelled) {
    return end(pending, failed(ApiReason::kNoAnswer, StatusCode::kCancelled));
  }
  if (pending->is_watch) {
    serve_watch(pending, may_fail);
  } else {
    serve_list(pending, may_fail);
  }
}

void ModelServer::serve_list(const std::shared_ptr<Pending>& pending, bool may_fail) {
  if (may_fail && below(5) == 0) {
    constexpr ApiReason kReasons[] = {ApiReason::kNoAnswer, ApiReason::kTooManyRequests,
                                      ApiReason::kForbidden, ApiReason::kOther};
    return end(pending, failed(kReasons[below(4)]));
  }
  Rest rest;
  const std::string token = asked(pending->request, "continue");
  if (token.empty()) {
    rest.version = state_.version;
    for (const auto& [key, each] : state_.objects) rest.objects.push_back(each);
  } else {
    const auto found = rests_.find(token);
    if (found == rests_.end()) return end(pending, failed(ApiReason::kExpired));
    rest = found->second;
  }
  std::string text = R"({"kind":"NodeList","apiVersion":"v1","items":[)";
  const size_t count = std::min(kPageObjects, rest.objects.size());
  for (size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + rest.objects[i].json;
  rest.objects.erase(rest.objects.begin(), rest.objects.begin() + static_cast<ptrdiff_t>(count));
  text += R"(],"metadata":{"resourceVersion":")" + std::to_string(rest.version) + '"';
  if (rest.objects.empty()) {
    is_restored_ = false;
  } else {
    const std::string next = "token-" + std::to_string(++tokens_);
    text += R"(,"continue":")" + next + '"';
    rests_[next] = std::move(rest);
  }
  kube::Response response;
  response.status = 200;
  response.body = text + "}}\n";
  end(pending, std::move(response));
}

void ModelServer::serve_watch(const std::shared_ptr<Pending>& pending, bool may_fail) {
  if (!pending->has_begun) {
    if (may_fail && below(5) == 0) {
      constexpr ApiReason kReasons[] = {ApiReason::kNoAnswer, ApiReason::kTooManyRequests,
                                        ApiReason::kUnavailable, ApiReason::kOther};
      return end(pending, failed(kReasons[below(4)]));
    }
    if (pending->told < oldest_ && !is_restored_) return end(pending, failed(ApiReason::kExpired));
    pending->has_begun = true;
    return pending->watch.on_begin();
  }
  // The client has a later version than the server, which waits for that.
  if (is_restored_) {
    return end(pending, failed(ApiReason::kNoAnswer, StatusCode::kDeadlineExceeded));
  }
  if (may_fail && below(12) == 0) {
    constexpr ApiReason kReasons[] = {ApiReason::kNoAnswer, ApiReason::kExpired, ApiReason::kOther};
    return end(pending, failed(kReasons[below(3)]));
  }
  if (may_fail && below(12) == 0) return end(pending, kube::Response{});
  const auto next = state_.changes.upper_bound(pending->told);
  if (next == state_.changes.end()) {
    pending->told = state_.version;
    return pending->watch.on_event(bookmark(state_.version));
  }
  pending->told = next->first;
  pending->watch.on_event(next->second);
}

}  // namespace longshore::test
