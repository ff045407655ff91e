// What Serve calls have not been told yet, since who reads them has no room: told in order as room
// comes.
//
//   request ──there is room──► told ──nobody waits any more──► gone, told too
//      └──no room──► kept ──nobody waits any more──► told of neither
//
// Bounded: for each reader so many requests are kept, one LISTENING, and a GONE at most for each
// request that it was told of.
//
// Threads: any. No lock is held while a call is sent to. Owner: a host service, which hands over
// what its target hears of its calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "router/call.h"

namespace longshore {

class PendingEvents {
 public:
  // Of requests that one reader has not been told of.
  static constexpr size_t kMaxRequests = 64;
  static constexpr size_t kMaxRequestBytes = 256u << 10;

  // One that waits already is as good.
  void listening(router::Call& reader, std::string message);
  // False: too many wait already, and this one is not told of. The end of the call tells who waits
  // for a request that was taken.
  bool request(router::Call& reader, uint64_t id, std::string message);
  // Nobody waits for the answer to `id` any more.
  void gone(router::Call& reader, uint64_t id, std::string message);

  // As Target::on_writable and Target::on_end.
  void resume(router::Call& reader);
  void remove(router::Call& reader);

 private:
  enum class Type { kListening, kRequest, kGone };
  struct Event {
    Type type;
    uint64_t id;
    std::string message;
  };
  struct Reader {
    explicit Reader(std::weak_ptr<router::Call> of) : call(std::move(of)) {}
    const std::weak_ptr<router::Call> call;  // which may hold the owner of this
    std::list<Event> events;                 // the first may be on its way: see `is_sending`
    bool is_sending = false;                 // a thread is at it
    bool again = false;                      // somebody found it sending
  };

  // Locked.
  std::shared_ptr<Reader> reader_of(router::Call& call);
  static bool has_room(const Reader& reader, const std::string& message);
  // Sends until there is no room or nothing left.
  void send_to(const std::shared_ptr<Reader>& reader);

  std::mutex mutex_;
  std::map<const router::Call*, std::shared_ptr<Reader>> readers_;
};

}  // namespace longshore
