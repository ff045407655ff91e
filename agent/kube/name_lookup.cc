#include "kube/name_lookup.h"

#include <boost/asio/post.hpp>
#include <mutex>
#include <system_error>
#include <utility>

#include "router/detached_thread.h"

namespace longshore::kube {

namespace asio = boost::asio;
using Tcp = asio::ip::tcp;

struct NameLookup::Gate {
  std::mutex mutex;
  NameLookup* lookup;  // null: it has gone
};

namespace {

Error not_found(const std::string& host) {
  return Error(StatusCode::kUnavailable, "find the address of", host);
}

// Blocks.
Result<NameLookup::Addresses> look_up(const std::string& host, uint16_t port) {
  boost::system::error_code error;
  asio::io_context own(1);
  const auto found =
      Tcp::resolver(own).resolve(host, std::to_string(port), Tcp::resolver::numeric_service, error);
  if (error) return not_found(host).because(error.message());
  NameLookup::Addresses addresses;
  for (const auto& each : found) addresses.push_back(each.endpoint());
  if (addresses.empty()) return not_found(host).because("the name has no address");
  return addresses;
}

}  // namespace

NameLookup::NameLookup(asio::io_context& io, const ServerAddress& server)
    : io_(io), server_(server), gate_(std::make_shared<Gate>()) {
  gate_->lookup = this;
}

NameLookup::~NameLookup() {
  const std::lock_guard lock(gate_->mutex);
  gate_->lookup = nullptr;
}

asio::awaitable<Result<NameLookup::Addresses>> NameLookup::find(Wakeup& wakeup) {
  boost::system::error_code error;
  if (const auto address = asio::ip::make_address(server_.host, error); !error) {
    Addresses one;
    one.emplace_back(address, server_.port);
    co_return one;
  }
  if (!is_running_) {
    if (const auto started = start(); !started) co_return started.error();
  }
  struct Place {
    std::list<Asking>& list;
    std::list<Asking>::iterator at;
    ~Place() { list.erase(at); }
  };
  const Place place{asking_, asking_.insert(asking_.end(), Asking{wakeup, std::nullopt})};
  co_await wakeup.wait();
  if (place.at->found) co_return *place.at->found;
  co_return Error(StatusCode::kCancelled, "find the address of", server_.host);
}

Result<void> NameLookup::start() {
  try {
    router::start_detached_thread([gate = gate_, host = server_.host, port = server_.port] {
      auto found = look_up(host, port);
      const std::lock_guard lock(gate->mutex);
      if (gate->lookup == nullptr) return;
      asio::post(gate->lookup->io_, [gate, found = std::move(found)] {
        // On the thread on which it goes, so it stays meanwhile.
        if (gate->lookup != nullptr) gate->lookup->take(found);
      });
    });
  } catch (const std::system_error& failed) {
    return Error(StatusCode::kUnknown, "start a thread for", "the resolver").because(failed.code());
  }
  is_running_ = true;
  return {};
}

void NameLookup::take(const Result<Addresses>& found) {
  is_running_ = false;
  for (Asking& each : asking_) {
    each.found = found;
    each.wakeup.set();
  }
}

}  // namespace longshore::kube
