#include "kube/reflector.h"

#include <algorithm>
#include <utility>

namespace longshore::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kPageObjects = "500";
constexpr size_t kMostPageBytes = 64u << 20;
constexpr seconds kPagePatience{60};
constexpr seconds kWatchPatience{30};  // for the answer's beginning
// Three bookmarks.
constexpr std::chrono::minutes kSilence{3};
// Of a watch; the server ends it then.
constexpr double kWatchSeconds = 300;
// A server, or what stands before it, that wants more is not heeded.
constexpr seconds kMostRetryAfter{300};

// Whether the same watch would not do better later.
bool takes_list(const ApiError& error) {
  switch (error.reason()) {
    case ApiReason::kNoAnswer:
      // It was no event, or too long a one. It would come again.
      return error.code() == StatusCode::kDataLoss ||
             error.code() == StatusCode::kResourceExhausted;
    case ApiReason::kUnauthorized:
    case ApiReason::kForbidden:
    case ApiReason::kNotFound:
    case ApiReason::kTooManyRequests:
    case ApiReason::kServerTimeout:
    case ApiReason::kUnavailable:
      return false;
    case ApiReason::kOther:
      return error.code() != StatusCode::kUnavailable;
    case ApiReason::kAlreadyExists:
    case ApiReason::kConflict:
    case ApiReason::kExpired:
    case ApiReason::kInvalid:
    case ApiReason::kTimeout:  // also "too large resource version"
      return true;
  }
  return true;
}

}  // namespace

template <typename Function>
auto Reflector::while_here(Function function) {
  return [here = std::weak_ptr(here_), function = std::move(function)](auto&&... arguments) {
    if (!here.expired()) function(std::forward<decltype(arguments)>(arguments)...);
  };
}

Reflector::Reflector(ApiAccess& access, Timing& timing, Selection selection, ObjectCache& cache,
                     OnCause on_cause)
    : access_(access),
      timing_(timing),
      selection_(std::move(selection)),
      cache_(cache),
      on_cause_(std::move(on_cause)) {
  state_.behind_since = timing_.now();
  list();
}

Reflector::~Reflector() {
  if (call_) call_->cancel();
}

Request Reflector::request() const {
  Request request;
  request.path = selection_.path;
  if (!selection_.label_selector.empty()) {
    request.query.emplace_back("labelSelector", selection_.label_selector);
  }
  if (!selection_.field_selector.empty()) {
    request.query.emplace_back("fieldSelector", selection_.field_selector);
  }
  return request;
}

void Reflector::change_state(State state) {
  const bool is_other = state.cause != state_.cause || state.is_refused() != state_.is_refused();
  state_ = std::move(state);
  if (is_other && on_cause_) on_cause_(selection_, state_);
}

void Reflector::list() {
  listed_.clear();
  ask_for_page({});
}

void Reflector::ask_for_page(const std::string& token) {
  Request page = request();
  page.query.emplace_back("limit", kPageObjects);
  if (!token.empty()) page.query.emplace_back("continue", token);
  page.max_response_bytes = kMostPageBytes;
  page.deadline = std::chrono::steady_clock::now() + kPagePatience;
  call_ = access_.request(std::move(page),
                          while_here([this](Outcome outcome) { on_page(std::move(outcome)); }));
}

void Reflector::on_page(Outcome outcome) {
  if (!outcome) return wait(Next::kList, outcome.error());
  Result<ObjectPage> page = parse_object_page(outcome.response().body);
  if (!page) {
    return wait(Next::kList, Error(page.error().code(), "list", selection_.path)
                                 .because(page.error().message())
                                 .message());
  }
  outcome.response().body = {};  // its room is needed
  for (Object& object : page->objects) listed_.push_back(cache_.keep(std::move(object)));
  if (!page->next.empty()) return ask_for_page(page->next);
  cache_.replace(std::exchange(listed_, {}), page->resource_version);
  change_state({});
  watch();
}

void Reflector::watch() {
  has_begun_ = has_event_ = has_gone_back_ = false;
  Watch watch;
  watch.request = request();
  const auto limit = static_cast<int>(kWatchSeconds * (1 + timing_.random()));
  for (const auto& [name, value] : {std::pair<std::string, std::string>("watch", "1"),
                                    {"resourceVersion", cache_.version()},
                                    {"allowWatchBookmarks", "true"},
                                    {"timeoutSeconds", std::to_string(limit)}}) {
    watch.request.query.emplace_back(name, value);
  }
  watch.request.deadline = std::chrono::steady_clock::now() + kWatchPatience;
  watch.idle_limit = kSilence;
  watch.on_begin = while_here([this] {
    has_begun_ = true;
    change_state({});
  });
  watch.on_event = while_here([this](WatchEvent event) { on_event(std::move(event)); });
  watch.on_end = while_here([this](const Outcome& outcome) { on_watch_end(outcome); });
  call_ = access_.watch(std::move(watch));
}

void Reflector::on_event(WatchEvent event) {
  has_event_ = true;
  back_off_.reset();
  has_gone_back_ = !cache_.apply(std::move(event));
  if (has_gone_back_) call_->cancel();
}

void Reflector::on_watch_end(const Outcome& outcome) {
  if (has_gone_back_) {
    return wait(Next::kList, "the server has gone back to a version before " + cache_.version());
  }
  const bool is_silent = has_begun_ && !has_event_ &&
                         (outcome || outcome.error().code() == StatusCode::kDeadlineExceeded);
  if (is_silent) return wait(Next::kList, "the watch said nothing up to its end");
  if (outcome) return watch();
  const ApiError& error = outcome.error();
  wait(takes_list(error) ? Next::kList : Next::kWatch, error);
}

void Reflector::wait(Next next, const ApiError& error) {
  const bool is_forbidden = error.reason() == ApiReason::kForbidden;
  wait(next, State{.cause = error.message(), .refusals = is_forbidden ? state_.refusals + 1 : 0},
       error.retry_after());
}

void Reflector::wait(Next next, const std::string& cause) {
  wait(next, State{.cause = cause}, std::nullopt);
}

void Reflector::wait(Next next, State state, std::optional<seconds> retry_after) {
  call_ = nullptr;
  listed_.clear();
  state.behind_since = state_.behind_since ? state_.behind_since : timing_.now();
  change_state(std::move(state));
  milliseconds delay = back_off_.next(timing_.random());
  if (retry_after) delay = std::max<milliseconds>(delay, std::min(*retry_after, kMostRetryAfter));
  timer_ = timing_.after(delay, [this, next] {
    if (next == Next::kList) {
      list();
    } else {
      watch();
    }
  });
}

}  // namespace longshore::kube
