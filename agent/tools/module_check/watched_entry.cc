#include "tools/module_check/watched_entry.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "tools/module_check/process_facts.h"

namespace longshore::module_check {
namespace {

using Clock = std::chrono::steady_clock;

struct Watch {
  const longshore_module_entry* entry = nullptr;
  HostAge age = HostAge::kSame;
  longshore_instance original{};
  longshore_instance timed{};
  std::atomic<int64_t> cancel{0};
  std::atomic<int64_t> writable{0};
  std::atomic<int64_t> invoke{0};
};

// C functions have no other way to know what they belong to.
Watch& the_watch() {
  static Watch watch;
  return watch;
}

template <typename Function>
void timed(std::atomic<int64_t>& longest, const Function& function) {
  const auto begun = Clock::now();
  function();
  const int64_t took = std::chrono::nanoseconds(Clock::now() - begun).count();
  for (int64_t seen = longest; took > seen && !longest.compare_exchange_weak(seen, took);) {
  }
}

void timed_invoke(void* self, longshore_call call, longshore_bytes method,
                  longshore_bytes request) {
  Watch& watch = the_watch();
  timed(watch.invoke, [&] { watch.original.invoke(self, call, method, request); });
}

void timed_cancel(void* self, longshore_call call) {
  Watch& watch = the_watch();
  timed(watch.cancel, [&] { watch.original.cancel(self, call); });
}

void timed_writable(void* self, longshore_call call) {
  Watch& watch = the_watch();
  timed(watch.writable, [&] { watch.original.writable(self, call); });
}

[[noreturn]] void function_of_the_future() { std::abort(); }

struct NewerHost {
  longshore_host known;
  void (*unknown[8])();
};

const longshore_host* newer_host(const longshore_host& table) {
  auto* const newer = new NewerHost{table, {}};  // for good, as a host's table may be used late
  newer->known.struct_size = sizeof(NewerHost);
  ++newer->known.abi_minor;
  std::ranges::fill(newer->unknown, &function_of_the_future);
  return &newer->known;
}

// Until there is a second version, the first one's table is the shortest that there is.
const longshore_host* older_host(const longshore_host& table, uint16_t minor_needed) {
  longshore_host older = table;
  older.abi_minor = std::max<uint16_t>(minor_needed, 1);
  return copy_before_barrier(older);
}

longshore_result create(const longshore_host* host, void** self,
                        const longshore_instance** functions) {
  Watch& watch = the_watch();
  if (watch.age == HostAge::kNewer) host = newer_host(*host);
  if (watch.age == HostAge::kOlder) host = older_host(*host, watch.entry->abi_minor_needed);
  const longshore_result answer = watch.entry->create(host, self, functions);
  if (answer != LONGSHORE_OK || !*functions) return answer;
  longshore_instance copy{};
  std::memcpy(&copy, *functions, std::min<size_t>((*functions)->struct_size, sizeof(copy)));
  watch.original = copy;
  if (copy.invoke) copy.invoke = &timed_invoke;
  if (copy.cancel) copy.cancel = &timed_cancel;
  if (copy.writable) copy.writable = &timed_writable;
  copy.struct_size = std::min<uint32_t>(copy.struct_size, sizeof(copy));
  watch.timed = copy;
  *functions = &watch.timed;
  return answer;
}

}  // namespace

longshore_module_entry watch(const longshore_module_entry& entry, HostAge age) {
  Watch& watch = the_watch();
  watch.entry = &entry;
  watch.age = age;
  longshore_module_entry watched = entry;
  watched.struct_size = sizeof(watched);
  watched.create = &create;
  return watched;
}

LongestTimes longest_times() {
  const Watch& watch = the_watch();
  using std::chrono::nanoseconds;
  return {nanoseconds(watch.cancel), nanoseconds(watch.writable), nanoseconds(watch.invoke)};
}

void forget_times() {
  Watch& watch = the_watch();
  watch.cancel = watch.writable = watch.invoke = 0;
}

}  // namespace longshore::module_check
