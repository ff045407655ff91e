#include "loader/fair_call_queue.h"

#include <utility>

namespace longshore::loader {
namespace {

// Flows without calls that are kept for the next ones.
constexpr size_t kMostKept = 8;

}  // namespace

void FairCallQueue::push_back(CallRecord& record, uint64_t caller) {
  CallFlow& flow = flows_.try_emplace(caller, caller).first->second;
  if (flow.calls.empty()) turns_.push_back(flow);
  flow.calls.push_back(record);
  record.flow = &flow;
  ++size_;
}

void FairCallQueue::erase(CallRecord& record) {
  CallFlow& flow = *std::exchange(record.flow, nullptr);
  flow.calls.erase(CallQueue::s_iterator_to(record));
  --size_;
  if (!flow.calls.empty()) return;
  turns_.erase(turns_.iterator_to(flow));
  if (flows_.size() > kMostKept) flows_.erase(flow.caller);
}

}  // namespace longshore::loader
