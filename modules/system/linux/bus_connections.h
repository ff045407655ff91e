// The connections to the bus that are kept between calls.
//
// Each call has a connection to itself while it works, so that a slow one holds up no other; one
// or two of them are kept. A kept connection that was lost in the meantime (the bus was started
// again) is replaced. The library is loaded and the first connection made by the first call.
//
// Threads: any number at once; the lock is held only to take from the shelf and put back.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "system/linux/bus_connection.h"

namespace longshore::system {

class BusConnections {
 public:
  explicit BusConnections(std::string address) : address_(std::move(address)) {}

  // UNAVAILABLE: there is no sd-bus here, or no bus at the address.
  Result<std::unique_ptr<BusConnection>> take(const Purpose& purpose);

  void give_back(std::unique_ptr<BusConnection> connection);

 private:
  Result<const SdBusLibrary*> library();
  std::unique_ptr<BusConnection> take_kept();

  const std::string address_;
  std::mutex mutex_;
  std::optional<SdBusLibrary> library_;
  std::vector<std::unique_ptr<BusConnection>> kept_;
};

}  // namespace longshore::system
