#include "system/linux/bus_connections.h"

namespace longshore::system {
namespace {

constexpr size_t kMaxKept = 2;

}  // namespace

Result<std::unique_ptr<BusConnection>> BusConnections::take(const Purpose& purpose) {
  while (auto kept = take_kept()) {
    if (kept->reusable()) return kept;
  }
  const Result<const SdBusLibrary*> loaded = library();
  if (!loaded) return loaded.error();
  return BusConnection::open(**loaded, address_, purpose);
}

void BusConnections::give_back(std::unique_ptr<BusConnection> connection) {
  if (!connection->reusable()) return;
  const std::lock_guard lock(mutex_);
  if (kept_.size() < kMaxKept) kept_.push_back(std::move(connection));
}

std::unique_ptr<BusConnection> BusConnections::take_kept() {
  const std::lock_guard lock(mutex_);
  if (kept_.empty()) return nullptr;
  auto connection = std::move(kept_.back());
  kept_.pop_back();
  return connection;
}

Result<const SdBusLibrary*> BusConnections::library() {
  const std::lock_guard lock(mutex_);
  if (!library_) {
    Result<SdBusLibrary> loaded = SdBusLibrary::load();
    if (!loaded) return std::move(loaded).error();
    library_ = *std::move(loaded);
  }
  return &*library_;
}

}  // namespace longshore::system
