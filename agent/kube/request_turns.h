// The line of those who want to ask an API server, who go as its rate allows: who came first goes
// first.
//
//   const auto place = turns.wait(patience, [&] { wakeup.set(); });
//   if (!place) ...           // it would not come to it in time: nothing was asked
//   if (!*place) ...          // it is its turn already
//   else ...                  // `wakeup` is set at its turn, unless it lets go of the place
//
// Threads: the context's. Owner: the client; places go before it.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kube/request_rate.h"
#include "kube/timing.h"
#include "longshore/result.hpp"
#include "observe/kube_request_metrics.h"

namespace longshore::kube {

class RequestTurns {
 public:
  class Place {
   public:
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    friend class RequestTurns;
    Place(RequestTurns& turns, std::chrono::nanoseconds since, std::function<void()> on_turn)
        : turns_(turns), since_(since), on_turn_(std::move(on_turn)) {}

    RequestTurns& turns_;
    const std::chrono::nanoseconds since_;  // of Timing's uptime
    const std::function<void()> on_turn_;
  };

  // `figures` outlive it; null: nobody looks at them.
  RequestTurns(Timing& timing, RequestLimit limit, observe::KubeRateFigures* figures = nullptr);
  RequestTurns(const RequestTurns&) = delete;
  RequestTurns& operator=(const RequestTurns&) = delete;

  // `on_turn` is called once at most, later, and may not come back here. Null: it is its turn now.
  // An error, which completes "cannot get X: ": as far as the rate tells, its turn does not come
  // within `patience`.
  Result<std::unique_ptr<Place>> wait(std::chrono::nanoseconds patience,
                                      std::function<void()> on_turn);
  void answered(const RequestAnswer& answer);

  // For sentences: "requests to the API server are limited to 20 a second".
  std::string limit_text() const;

 private:
  void serve();
  void serve_later(std::chrono::nanoseconds now);
  void tell() const;
  void tell_wait(std::chrono::nanoseconds time) const;

  Timing& timing_;
  RequestRate rate_;
  observe::KubeRateFigures* const figures_;
  std::deque<Place*> line_;
  std::shared_ptr<void> timer_;  // while somebody waits
};

}  // namespace longshore::kube
