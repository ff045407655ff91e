// A watch at an API server, on a connection of its own:
//
//   waits for its turn ──► looks up ──► connects ──► waits for the head ──► reads events ──► over
//
// Threads: the context's. Owner: itself, until it is over, and whoever made it.
#pragma once

#include <memory>
#include <optional>

#include "kube/running_call.h"

namespace longshore::kube {

class WatchCall final : public RunningCall {
 public:
  WatchCall(std::shared_ptr<ClientParts> parts, Watch watch);

 private:
  boost::asio::awaitable<std::optional<Outcome>> run() override;
  void on_over(Outcome outcome) override;

  boost::asio::awaitable<std::optional<Outcome>> read_events(Connection& connection, Response head);

  Watch watch_;
};

}  // namespace longshore::kube
