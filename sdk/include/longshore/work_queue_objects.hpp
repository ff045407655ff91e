// What a module's work queues know of an object, for people who ask the agent for it:
//
//   longshorectl controllers external-attacher --object va/csi-0a1b
//
// A module that derives from WorkQueueModule serves it already. Threads: any.
#pragma once

#include <algorithm>
#include <chrono>
#include <span>
#include <string>

#include "longshore/module/objects.pb.h"
#include "longshore/work_queue.hpp"

namespace longshore {

inline constexpr const char* kObjectsService = "longshore.module.v1.Objects";

namespace detail {

// The calendar's time of a moment of the steady clock.
inline int64_t unix_ms(std::chrono::steady_clock::time_point time) {
  using namespace std::chrono;
  const auto from_now = duration_cast<system_clock::duration>(time - steady_clock::now());
  return duration_cast<milliseconds>((system_clock::now() + from_now).time_since_epoch()).count();
}

inline module::v1::QueuedObject::State state_of(const WorkQueue::KeyStatus& status) {
  if (status.is_running) return module::v1::QueuedObject::STATE_RUNNING;
  if (status.is_queued) return module::v1::QueuedObject::STATE_QUEUED;
  if (status.next_try) return module::v1::QueuedObject::STATE_DELAYED;
  return module::v1::QueuedObject::STATE_DONE;
}

inline void fill(module::v1::QueuedObject& object, const WorkQueue& queue,
                 const WorkQueue::KeyStatus& status) {
  object.set_queue(queue.name());
  object.set_state(state_of(status));
  object.set_since_unix_ms(unix_ms(status.since));
  object.set_is_added_again(status.is_running && status.is_queued);
  object.set_tries(status.tries);
  if (status.next_try) object.set_next_try_unix_ms(unix_ms(*status.next_try));
  for (const WorkQueueHistory::Try& each : status.last_tries) {
    auto& one = *object.add_last_tries();
    one.set_began_unix_ms(unix_ms(each.began_at));
    one.set_took_us(std::chrono::duration_cast<std::chrono::microseconds>(each.took).count());
    one.set_is_done(each.is_done);
    one.set_error(each.error);
  }
}

}  // namespace detail

inline module::v1::DescribeObjectResponse describe_object(
    std::span<const WorkQueue* const> queues, const module::v1::DescribeObjectRequest& request) {
  module::v1::DescribeObjectResponse response;
  const auto add_kind = [&](const std::string& kind) {
    if (std::ranges::find(response.kinds(), kind) == response.kinds().end()) {
      response.add_kinds(kind);
    }
  };
  for (const WorkQueue* const queue : queues) {
    add_kind(queue->kind());
    if (!queue->takes_kind(request.kind())) continue;
    add_kind(request.kind());  // as it was asked for, so that it is told from a kind of nobody's
    if (const auto status = queue->status(request.key())) {
      detail::fill(*response.add_objects(), *queue, *status);
    }
  }
  return response;
}

}  // namespace longshore
