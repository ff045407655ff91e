// Keeps a cache as the API server has it: lists, then watches, and again for as long as it lives.
//
//   listing ──all pages──► watching ──the server ends it──► watching
//      ▲                      │ cut, refused, too busy
//      └──► waiting ◄─────────┘
//
// Lists come from etcd itself, and not from a server's cache, which may be old: so no list is older
// than what a watch has brought before, unless the data were restored from a backup. After an end,
// the watch goes on from the last version. It takes a list where the server no longer has that
// version, where what it said was not understood, where an event is older than what is known, and
// where a watch said nothing at all: servers send a bookmark each minute, but not to a client that
// knows a later version than they do. A restored server that soon is past that version, before the
// watch was silent for long, is not noticed; whoever restores etcd is told to raise its revision.
//
// While the server is away nothing is cleared.
//
// Threads: the context's. Owner: the informer. Access, timing and cache outlive it. It is not let
// go of inside of a change of its cache.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/api_access.h"
#include "kube/api_error.h"
#include "kube/back_off.h"
#include "kube/object_cache.h"
#include "kube/selection.h"
#include "kube/timing.h"

namespace longshore::kube {

class Reflector {
 public:
  // For people. A cache that is synced and behind has what there was at that time.
  struct State {
    // Nothing: it has what the server has, as far as the server tells.
    std::optional<std::chrono::system_clock::time_point> behind_since = std::nullopt;
    std::string cause = {};  // why it is behind; empty while the first list comes
    size_t refusals = 0;     // how often, one after the other, the server has not allowed it

    // A server that has just started forbids everything for a moment, until it knows its roles.
    bool is_refused() const { return refusals >= 3; }
  };

  // Hears of each other cause, and when it is a refusal; empty: none any more. It changes no cache,
  // and lets nobody go.
  using OnCause = std::function<void(const Selection&, const State&)>;

  Reflector(ApiAccess& access, Timing& timing, Selection selection, ObjectCache& cache,
            OnCause on_cause = {});
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  const State& state() const { return state_; }

 private:
  enum class Next { kList, kWatch };

  Request request() const;
  void change_state(State state);
  void list();
  void ask_for_page(const std::string& token);
  void on_page(Outcome outcome);
  void watch();
  void on_event(WatchEvent event);
  void on_watch_end(const Outcome& outcome);
  void wait(Next next, const ApiError& error);
  void wait(Next next, const std::string& cause);
  void wait(Next next, State state, std::optional<std::chrono::seconds> retry_after);

  // A function that does nothing once this is gone.
  template <typename Function>
  auto while_here(Function function);

  ApiAccess& access_;
  Timing& timing_;
  const Selection selection_;
  ObjectCache& cache_;
  const OnCause on_cause_;
  State state_;
  BackOff back_off_;
  std::shared_ptr<Call> call_;   // the list's page, or the watch
  std::shared_ptr<void> timer_;  // while it waits
  std::vector<ObjectCache::Kept> listed_;
  // Of the watch that runs.
  bool has_begun_ = false;
  bool has_event_ = false;
  bool has_gone_back_ = false;
  const std::shared_ptr<char> here_ = std::make_shared<char>();
};

}  // namespace longshore::kube
