#include "services/run_condition.h"

#include <utility>
#include <vector>

namespace longshore::services {

RunCondition::State RunCondition::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void RunCondition::observe(const std::weak_ptr<Observer>& observer) {
  const std::lock_guard lock(mutex_);
  observers_.insert(observer);
}

void RunCondition::change(State state) {
  std::vector<std::shared_ptr<Observer>> observers;
  {
    const std::lock_guard lock(mutex_);
    if (state == state_) return;
    state_ = std::move(state);
    std::erase_if(observers_, [](const auto& observer) { return observer.expired(); });
    for (const auto& observer : observers_) observers.push_back(observer.lock());
  }
  for (const auto& observer : observers) {
    if (observer) observer->condition_changed();
  }
}

}  // namespace longshore::services
