// Streams of states by key: each reader hears of all that there are, or of one, then of what
// changes.
//
//   initial states ──all told──► the message `synced` ──► changes, until the call ends
//
// A reader who has no room costs a key for each state that he has not seen, not a message: when he
// has room again he gets the latest. So the memory of a stream is bounded by the number of keys.
//
// Threads: any. No lock is held while a call is sent to. Owner: a host service, whose target hands
// over its calls' notifications.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "longshore/result.hpp"
#include "router/call.h"

namespace longshore::services {

class StateStreams {
 public:
  // Who reads all the time holds a call; nobody needs more at once than there are modules.
  static constexpr size_t kMostReaders = 256;

  // `synced`: the message after the initial states; empty: none.
  explicit StateStreams(std::string synced) : synced_(std::move(synced)) {}

  // The latest of `key` from now on: a message that replaces the one before. `is_last`: it is told
  // to those who read now, and to no later reader.
  void set(const std::string& key, std::string message, bool is_last = false);

  // A call that wants to read, all or the state of `key` alone. An error: there are too many.
  Result<void> add(router::Call& call, const std::string& key = {});
  // Whether a call reads the state of `key` alone.
  bool is_read(const std::string& key) const;
  // Ends all calls that read.
  void finish(StatusCode code, const std::string& text);
  // As Target::on_writable and Target::on_end.
  void resume(router::Call& call);
  void remove(router::Call& call);

 private:
  struct Reader {
    Reader(std::weak_ptr<router::Call> of, std::string of_key)
        : call(std::move(of)), key(std::move(of_key)) {}
    bool reads(const std::string& other) const { return key.empty() || key == other; }

    const std::weak_ptr<router::Call> call;   // which may hold the owner of this
    const std::string key;                    // the only one that it reads; empty: all
    std::set<std::string> pending;            // keys whose latest it has not seen
    std::map<std::string, std::string> last;  // of keys that are gone, until it has seen that
    bool is_synced = false;
    bool is_sending = false;  // a thread is at it
    bool again = false;       // somebody found it sending
  };
  struct Next {
    std::string key;  // empty: `synced`
    std::string message;
  };

  // The reader's next message; nothing: it has seen all. Locked.
  std::optional<Next> take_next(Reader& reader) const;
  void put_back(Reader& reader, Next next) const;
  // Sends until there is no room or nothing left.
  void send_to(const std::shared_ptr<Reader>& reader);

  const std::string synced_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> states_;
  std::map<const router::Call*, std::shared_ptr<Reader>> readers_;
};

}  // namespace longshore::services
