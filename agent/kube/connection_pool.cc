#include "kube/connection_pool.h"

#include <algorithm>

namespace longshore::kube {
namespace {

constexpr std::chrono::seconds kKeptFor{60};

}  // namespace

boost::asio::awaitable<std::optional<ConnectionPool::Lease>> ConnectionPool::lend(Wakeup& wakeup,
                                                                                  bool fresh) {
  if (lent_ < max_connections_) {
    ++lent_;
  } else {
    struct Place {
      std::list<Waiting>& list;
      std::list<Waiting>::iterator at;
      ~Place() { list.erase(at); }
    };
    const Place place{waiting_, waiting_.insert(waiting_.end(), Waiting{wakeup})};
    co_await wakeup.wait();
    if (!place.at->has_turn) co_return std::nullopt;
  }
  co_return Lease(*this, kept_or_new(fresh));
}

std::unique_ptr<Connection> ConnectionPool::kept_or_new(bool fresh) {
  const auto now = Clock::now();
  kept_.remove_if([&](const Kept& each) { return fresh || now - each.since > kKeptFor; });
  while (!kept_.empty()) {
    std::unique_ptr<Connection> last = std::move(kept_.back().connection);
    kept_.pop_back();
    if (last->is_alive()) return last;
  }
  return std::make_unique<Connection>(io_);
}

void ConnectionPool::take_back(std::unique_ptr<Connection> connection) {
  if (connection->is_kept()) kept_.push_back({std::move(connection), Clock::now()});
  const auto next = std::ranges::find(waiting_, false, &Waiting::has_turn);
  if (next == waiting_.end()) {
    --lent_;
    return;
  }
  next->has_turn = true;
  next->wakeup.set();
}

}  // namespace longshore::kube
