// How what was prepared comes to run: routes are switched, and the only instance of a module that
// forbids two is replaced.
#include <utility>

#include "core/call_hold_queue.h"
#include "core/module_set.h"

namespace longshore::core {

using loader::Instance;
using router::Clock;

ModuleSet::Committed ModuleSet::commit() {
  Committed committed;
  Entries now = prepared_;
  std::vector<std::string> to_replace;
  for (auto& [name, entry] : now) {
    const auto running = running_.find(name);
    if (entry.instance || !entry.failure.empty()) continue;
    if (running == running_.end() || !running->second.instance) continue;  // a controller waits
    to_replace.push_back(name);
    entry = running->second;
    // What is forbidden now must not wait, whatever becomes of the replacement.
    entry.take_routes_of(prepared_.at(name));
  }
  routes_.publish(now);
  for (const std::string& name : to_replace) replace(name, now, committed);
  tell_of_overlaps(now, committed);
  Entries old_ones;
  {
    const std::lock_guard lock(mutex_);
    old_ones = std::exchange(running_, now);
    prepared_.clear();
  }
  for (auto& [name, entry] : old_ones) {
    const bool lives = entry.instance && !entry.instance->has_ended();
    if (lives && !is_kept(name, entry, now)) draining_.add(std::move(entry.instance));
  }
  tell_services();
  reconcile_controllers();
  return committed;
}

void ModuleSet::replace(const std::string& name, Entries& now, Committed& committed) {
  const Entry old_entry = now.at(name);
  const config::ModuleSettings& settings = old_entry.settings;
  // As many calls as the instance would have.
  const auto room = std::make_shared<CallHoldQueue>(
      name, static_cast<size_t>(settings.max_concurrent_calls + settings.max_queued_calls),
      loader::InstanceOptions().max_queued_bytes, old_entry.instance);
  routes_.publish(now, {{name, room}});
  Entry next = prepared_.at(name);
  if (drain_to_replace(old_entry.instance)) {
    next = start_instead(old_entry, std::move(next), committed);
  } else {
    old_entry.instance->resume();
    next = old_entry;
    committed.calls_remain = true;
    committed.fail("the module " + name +
                   " is not replaced: calls of it have not ended in time; try again "
                   "when they have");
  }
  room->open(target_of(next), [&] {
    now[name] = next;
    routes_.publish(now);
  });
}

bool ModuleSet::drain_to_replace(const std::shared_ptr<Instance>& instance) {
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_) return false;
    replaced_ = instance;
  }
  const bool drained = instance->drain(Clock::now() + patience_);
  const std::lock_guard lock(mutex_);
  replaced_ = nullptr;
  return drained;
}

void ModuleSet::hurry() {
  const std::lock_guard lock(mutex_);
  is_ending_ = true;
  if (replaced_) replaced_->hurry(Clock::now());
  if (const auto instance = starting_.lock()) instance->give_up_start();
}

bool ModuleSet::is_ending() const {
  const std::lock_guard lock(mutex_);
  return is_ending_;
}

ModuleSet::Entry ModuleSet::start_instead(const Entry& old_entry, Entry next,
                                          Committed& committed) {
  const std::string& name = old_entry.settings.name;
  // New calls wait, and a call that is stuck may be so for good.
  const Secret left =
      stop(old_entry.instance, Clock::now() + stop_timeout_.load(), Instance::StuckCalls::kLeft);
  if (bring_up(next, left.text())) return next;
  committed.fail("the module " + name +
                 " did not start and is put back as it was: " + next.failure);
  Entry put_back = old_entry;
  put_back.instance = nullptr;
  starter_.begin_anew(put_back);
  if (!bring_up(put_back, left.text())) {
    committed.fail("the module " + name +
                   " did not start as it was before either: " + put_back.failure);
  }
  return put_back;
}

void ModuleSet::tell_of_overlaps(const Entries& now, Committed& committed) {
  for (const auto& [name, entry] : now) {
    if (entry.facts->description.may_overlap || !entry.serves()) continue;
    if (is_kept(name, entry, running_) || !starter_.has_abandoned(name)) continue;
    committed.sentences.push_back(
        "an older instance of the module " + name +
        " could not be ended and may still be at work beside the new one, though the module is not "
        "made for that; restart the agent if that is a danger to its data");
    log_.warning(committed.sentences.back());
  }
}

}  // namespace longshore::core
