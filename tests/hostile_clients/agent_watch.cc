#include "tests/hostile_clients/agent_watch.h"

#include <algorithm>

namespace longshore::hostile_clients {

HeldBytes held_by(ProcessId agent) {
  HeldBytes bytes{own_bytes(agent), 0};
  for (const ProcessId child : children_of(agent)) bytes.modules += own_bytes(child);
  return bytes;
}

AgentWatch::AgentWatch(ProcessId process)
    : process_(process),
      start_(held_by(process)),
      start_seconds_(processor_seconds(process)),
      most_bytes_(start_.agent),
      most_bytes_of_modules_(start_.modules),
      thread_([this] {
        while (!ends_) {
          const HeldBytes now = held_by(process_);
          most_bytes_ = std::max(most_bytes_.load(), now.agent);
          most_bytes_of_modules_ = std::max(most_bytes_of_modules_.load(), now.modules);
          std::this_thread::sleep_for(kLookInterval);
        }
      }) {}

AgentWatch::~AgentWatch() {
  ends_ = true;
  thread_.join();
}

size_t AgentWatch::growth_bytes() const { return most_bytes_ - start_.agent; }

size_t AgentWatch::growth_of_modules_bytes() const {
  return most_bytes_of_modules_ - start_.modules;
}

double AgentWatch::processor_seconds_used() const {
  return processor_seconds(process_) - start_seconds_;
}

}  // namespace longshore::hostile_clients
