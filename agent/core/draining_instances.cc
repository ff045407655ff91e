#include "core/draining_instances.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "router/blocked_signals.h"
#include "router/module_wait.h"

namespace longshore::core {
namespace {

using loader::Instance;
using router::Clock;

// So many of one module may finish their calls at once, each with its pool and what it holds.
constexpr size_t kMostOfOneModule = 8;

// Every call has a deadline that is nearer.
constexpr std::chrono::hours kNoLimit{24 * 365};

}  // namespace

DrainingInstances::~DrainingInstances() { end(Clock::now()); }

void DrainingInstances::add(std::shared_ptr<Instance> instance) {
  join_ended();
  Retired* retired = nullptr;
  {
    const std::lock_guard lock(mutex_);
    retired = &retired_.emplace_back(Retired{std::move(instance), {}});
  }
  const router::BlockedSignals blocked;
  try {
    retired->thread = std::thread([this, retired] { run(*retired); });
  } catch (const std::system_error&) {
    run(*retired);  // there is no thread to be had
  }
}

void DrainingInstances::run(Retired& retired) {
  std::shared_ptr<Instance> instance;
  {
    const std::lock_guard lock(mutex_);
    instance = retired.instance;
  }
  instance->drain(Clock::now() + kNoLimit);
  std::unique_lock lock(mutex_);
  const Clock::time_point latest = latest_;
  lock.unlock();
  stop_(instance, latest);
  lock.lock();
  retired.instance.reset();
  changed_.notify_all();
}

void DrainingInstances::join_ended() {
  std::list<Retired> ended;
  {
    const std::lock_guard lock(mutex_);
    for (auto each = retired_.begin(); each != retired_.end();) {
      const auto next = std::next(each);
      if (!each->instance) ended.splice(ended.end(), retired_, each);
      each = next;
    }
  }
  for (Retired& each : ended) {
    if (each.thread.joinable()) each.thread.join();
  }
}

bool DrainingInstances::has_room(const std::string& module, bool may_overlap) const {
  size_t left = 0;
  for (const Retired& each : retired_) {
    if (!each.instance || each.instance->options().name != module) continue;
    if (!may_overlap || !each.instance->facts().description.may_overlap) return false;
    ++left;
  }
  return left < kMostOfOneModule;
}

bool DrainingInstances::wait_for_room(const std::string& module, bool may_overlap,
                                      Clock::time_point deadline) {
  const router::ModuleWait waits;
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return has_room(module, may_overlap); });
}

void DrainingInstances::end(Clock::time_point deadline) {
  {
    std::unique_lock lock(mutex_);
    latest_ = deadline;
    for (const Retired& each : retired_) {
      if (each.instance) each.instance->hurry(deadline);
    }
    changed_.wait(lock, [&] {
      return std::all_of(retired_.begin(), retired_.end(),
                         [](const Retired& each) { return !each.instance; });
    });
  }
  join_ended();
}

}  // namespace longshore::core
