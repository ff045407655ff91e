// What the calls of an instance hang on, or would: for each server, mount, disk or object how many
// calls run, are stuck and wait, so that one that does not answer costs its own calls only.
//
// A bulkhead is open while fewer calls run than it may have. It is hopeless when as many calls are
// stuck as may be: calls for it are refused then.
// Threads: none of its own; guarded by its owner's lock. Owner: an Admission.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "loader/call_record.h"
#include "loader/fair_call_queue.h"
#include "loader/instance_options.h"
#include "longshore/transparent_hash.hpp"

namespace longshore::loader {

// How many calls may wait behind one bulkhead, of so many that may wait at all: half of them, and
// no more than hold half of what one peer of an endpoint may (16 MiB, 4 KiB a call). The rest is
// for other bulkheads.
size_t most_waiting_behind_one(size_t max_queued_calls);

struct Bulkhead {
  std::string_view key;
  size_t holders = 0;  // records that name it; without one it may be forgotten
  size_t running = 0;  // that are not stuck, and those that wait for a place of the module's only
  size_t stuck = 0;
  size_t coming = 0;  // that run yet, and are told to wait behind it
  FairCallQueue waiting;
};

class Bulkheads {
 public:
  explicit Bulkheads(const InstanceOptions& options);

  // Null: there is none. An empty key has none.
  Bulkhead* find(std::string_view key);
  // Makes it if there is none, and may forget others that nobody holds.
  Bulkhead* obtain(std::string_view key);

  bool is_open(const Bulkhead& bulkhead) const { return bulkhead.running < most_running_; }
  bool is_hopeless(const Bulkhead& bulkhead) const;
  // Whether no more calls may wait behind this one: the rest of the queue is for others.
  bool is_crowded(const Bulkhead& bulkhead) const;

  size_t most_running() const { return most_running_; }
  // The keys with stuck calls and how many, cut: ` for "disk-1", "disk-2" (2) and 3 more`.
  std::string stuck_keys() const;

 private:
  const InstanceOptions& options_;
  const size_t most_running_;
  const size_t most_waiting_;
  // Kept when nobody holds them, up to a number, so that a call seldom allocates one.
  std::unordered_map<std::string, Bulkhead, TransparentHash, std::equal_to<>> all_;
  size_t most_kept_;
};

}  // namespace longshore::loader
