// Calls that wait for the same thing. Their callers take turns (router::Caller::flow), and the
// calls of one caller go in the order of their coming: whoever has thousands of them waiting delays
// the single call of another by no more than a round, one call of each caller.
//
//   turns ──► caller ──► caller ──► caller       (those with calls that wait)
//               │          │          │
//              call       call       call
//              call                  call
//
// Everything takes constant time, and nothing is allocated for a call but, where many callers wait,
// the flow of one that had none.
//
// Threads: none of its own; guarded by its owner's lock. Owner: an Admission or a Bulkhead.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "loader/call_record.h"

namespace longshore::loader {

// The calls of one caller.
struct CallFlow : boost::intrusive::list_base_hook<> {
  explicit CallFlow(uint64_t number) : caller(number) {}
  const uint64_t caller;
  CallQueue calls;
};

class FairCallQueue {
 public:
  bool empty() const { return turns_.empty(); }
  size_t size() const { return size_; }

  void push_back(CallRecord& record, uint64_t caller);
  // The first call of the caller whose turn it is. Not while it is empty.
  CallRecord& front() { return turns_.front().calls.front(); }
  // The next front is of the next caller.
  void pass_turn() { turns_.splice(turns_.end(), turns_, turns_.begin()); }
  // Takes a call of it out, wherever it stands. Its caller keeps the turn if he has more.
  void erase(CallRecord& record);

 private:
  std::unordered_map<uint64_t, CallFlow> flows_;
  boost::intrusive::list<CallFlow> turns_;  // before flows_ goes
  size_t size_ = 0;
};

}  // namespace longshore::loader
