// The last entries of some kind, each with texts of its own: a ring of entries, and a ring of bytes
// in which each entry's texts are one piece.
//
// All of it lies in two blocks, which are there from the first entry on: a burst of entries leaves
// nothing of them between what else the burst has allocated and freed. Such a piece would keep a
// page from the system.
//
// Threads: one at a time. Owner: whoever remembers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace longshore::observe {

template <typename Entry>
class TextRing {
 public:
  // Fewer than `capacity` where their texts fill the block for them.
  TextRing(size_t capacity, size_t text_bytes) : capacity_(capacity), text_bytes_(text_bytes) {}
  TextRing(const TextRing&) = delete;
  TextRing& operator=(const TextRing&) = delete;

  // The entry may be as one that was forgotten has left it.
  struct Place {
    Entry& entry;
    char* texts;
  };
  // A place for the newest entry, and for so many bytes of it: at least one, and no more than all.
  Place add(size_t bytes) {
    const size_t at = make_room(bytes);
    Kept& kept = next();
    kept.at = static_cast<uint32_t>(at);
    kept.bytes = static_cast<uint32_t>(bytes);
    return {kept.entry, texts_.get() + at};
  }

  size_t size() const { return count_; }
  size_t text_bytes() const { return text_bytes_; }

  // `function(entry, texts)` for all of them, the oldest first.
  template <typename Function>
  void for_each(const Function& function) const {
    for (size_t i = 0; i < count_; ++i) {
      const Kept& kept = kept_[(first_ + i) % capacity_];
      function(kept.entry, static_cast<const char*>(texts_.get() + kept.at));
    }
  }

 private:
  struct Kept {
    Entry entry{};
    uint32_t at = 0;  // of its texts
    uint32_t bytes = 0;
  };

  const Kept& oldest() const { return kept_[first_]; }

  void forget_oldest() {
    first_ = (first_ + 1) % capacity_;
    --count_;
  }

  // Those that are in the way are the oldest: the texts lie in the order of the entries.
  size_t make_room(size_t bytes) {
    if (!texts_) {
      kept_.reserve(capacity_);
      texts_ = std::make_unique_for_overwrite<char[]>(text_bytes_);
    }
    if (texts_end_ + bytes > text_bytes_) {
      while (count_ > 0 && oldest().at >= texts_end_) forget_oldest();
      texts_end_ = 0;
    }
    const auto is_in_the_way = [&](const Kept& kept) {
      return kept.at < texts_end_ + bytes && kept.at + kept.bytes > texts_end_;
    };
    while (count_ > 0 && is_in_the_way(oldest())) forget_oldest();
    return std::exchange(texts_end_, texts_end_ + bytes);
  }

  Kept& next() {
    if (count_ == capacity_) forget_oldest();
    const size_t place = (first_ + count_++) % capacity_;
    return place < kept_.size() ? kept_[place] : kept_.emplace_back();
  }

  const size_t capacity_;
  const size_t text_bytes_;
  std::vector<Kept> kept_;
  size_t first_ = 0;  // of kept_, the oldest
  size_t count_ = 0;
  std::unique_ptr<char[]> texts_;
  size_t texts_end_ = 0;  // behind the newest
};

}  // namespace longshore::observe
