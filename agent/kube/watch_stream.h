// A Watch of a controller's: tells it of a cache as fast as it reads.
//
// A reader without room costs keys, a cause, and the one message that there was no room for.
//
// Threads: the service's. Owner: the service, until the call is over.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kube/api_loop.h"
#include "kube/field_mask.h"
#include "kube/object_cache.h"
#include "kube/subscription.h"
#include "router/call.h"

namespace longshore::kube {

class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  WatchStream(ApiLoop& loop, std::shared_ptr<router::Call> call, std::shared_ptr<ObjectCache> cache,
              FieldMask fields);

  // Why the server is not followed; empty: it is. The reader hears of the latest, after all
  // objects that it has room for.
  void set_cause(const std::string& cause);

  // Sends until there is no room or nothing left. To be called once at first, and when there is
  // room again.
  void send();

 private:
  void send_soon();

  ApiLoop& loop_;
  const std::shared_ptr<router::Call> call_;
  const FieldMask fields_;
  std::string cause_;
  std::string told_cause_;
  std::optional<CacheMessage> waiting_;
  Subscription subscription_;
};

}  // namespace longshore::kube
