// Names objects by 64-bit handles that carry a generation, so that a stale, doubled or invented
// handle finds nothing instead of something else.
//
// handle = generation << 32 | index; a slot's generation grows each time it is emptied, so a handle
// comes back only after 2^32 uses of one slot. 0 is never a handle.
// Owner: shares each object until `remove`. Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace longshore::router {

template <typename T>
class HandleTable {
 public:
  // Tables whose generations begin in different places do not know each other's handles.
  explicit HandleTable(uint32_t first_generation = 1)
      : first_generation_(first_generation == 0 ? 1 : first_generation) {}

  uint64_t insert(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(slots_.size()));
      slots_.push_back({nullptr, first_generation_});
    }
    const uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].object = std::move(object);
    return static_cast<uint64_t>(slots_[index].generation) << 32 | index;
  }

  std::shared_ptr<T> find(uint64_t handle) const {
    const std::lock_guard lock(mutex_);
    const Slot* slot = slot_of(handle);
    return slot ? slot->object : nullptr;
  }

  // Takes the object out. Of two callers that race, one gets it and the other null.
  std::shared_ptr<T> remove(uint64_t handle) {
    const std::lock_guard lock(mutex_);
    Slot* slot = const_cast<Slot*>(slot_of(handle));
    if (!slot) return nullptr;
    if (++slot->generation == 0) slot->generation = 1;
    free_.push_back(static_cast<uint32_t>(handle));
    return std::exchange(slot->object, nullptr);
  }

  // Whether the handle has named an object that was taken out since.
  bool had(uint64_t handle) const {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<uint32_t>(handle);
    if (index >= slots_.size()) return false;
    // How often the slot was emptied, and how often when the handle was given; both may wrap.
    const uint32_t now = slots_[index].generation - first_generation_;
    return static_cast<uint32_t>(handle >> 32) - first_generation_ < now;
  }

  // All objects that are in the table right now.
  std::vector<std::shared_ptr<T>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> objects;
    for (const Slot& slot : slots_) {
      if (slot.object) objects.push_back(slot.object);
    }
    return objects;
  }

  size_t size() const {
    const std::lock_guard lock(mutex_);
    return slots_.size() - free_.size();
  }

 private:
  struct Slot {
    std::shared_ptr<T> object;
    uint32_t generation;
  };

  const Slot* slot_of(uint64_t handle) const {
    const auto index = static_cast<uint32_t>(handle);
    const auto generation = static_cast<uint32_t>(handle >> 32);
    if (index >= slots_.size()) return nullptr;
    const Slot& slot = slots_[index];
    return slot.generation == generation && slot.object ? &slot : nullptr;
  }

  const uint32_t first_generation_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
};

}  // namespace longshore::router
