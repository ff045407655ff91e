// What an admission keeps of a call that it has taken, and where the call is:
//
//   kQueued           waits for a place of the module's
//   kBehindBulkhead   waits for a share of its bulkhead, and for a place after that
//   kHopeless         its bulkhead became hopeless while it waited: it is to end
//   kRuns             has a place; its module has it
//   kQueuedInProcess  its module's process has it, where it waits: its place is for others
//   kOpen             is long_running, and its handler has returned: it holds no place
//   kOver             has ended; the record is there while a thread of the pool is in the call
//
// Threads: none of its own; guarded by the admission's lock. Owner: the call, from its admission
// to its end.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "router/call.h"

namespace longshore::loader {

struct Bulkhead;
struct CallFlow;

enum class Where : uint8_t {
  kQueued,
  kBehindBulkhead,
  kHopeless,
  kRuns,
  kQueuedInProcess,
  kOpen,
  kOver
};
inline constexpr size_t kPlaces = static_cast<size_t>(Where::kOver);

struct CallRecord final : router::TargetRecord, boost::intrusive::list_base_hook<> {
  // Null while it runs without a queue to be in.
  std::shared_ptr<router::Call> queued;
  CallFlow* flow = nullptr;  // of its caller, in the queue that it is in
  size_t unaccounted = 0;    // bytes that it holds in a queue and that no account knows
  Where where = Where::kOver;
  bool is_stuck = false;
  bool has_thread = false;  // of the pool
  bool thread_is_lost = false;
  bool is_counted = false;      // among the running ones of its bulkhead
  bool has_waited = false;      // behind it, and not run since
  bool was_given_back = false;  // and has not run since
  Bulkhead* bulkhead = nullptr;
  Bulkhead* next_bulkhead = nullptr;         // that it is told to wait behind
  std::string behind_in_process;             // the key, where it waits there
  std::shared_ptr<router::Call> given_back;  // until its thread has left it

  // For another call, once this one is over and in no queue, has no bulkhead and no thread.
  void clear() {
    is_stuck = thread_is_lost = has_waited = was_given_back = false;
    behind_in_process.clear();
    given_back.reset();
  }
};

// Calls in the order of their coming. A call leaves it in constant time, and nothing is allocated.
using CallQueue = boost::intrusive::list<CallRecord>;

}  // namespace longshore::loader
