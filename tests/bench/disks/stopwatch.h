// Times of repeated steps, by name: the least, the middle and the worst.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace longshore::bench {

using Milliseconds = std::chrono::duration<double, std::milli>;

// Steps in the order in which they were first taken.
class Stopwatch {
 public:
  template <typename Function>
  auto time(const std::string& step, const Function& function) {
    const auto start = std::chrono::steady_clock::now();
    struct Stop {
      ~Stop() { self.add(step, std::chrono::steady_clock::now() - start); }
      Stopwatch& self;
      const std::string& step;
      std::chrono::steady_clock::time_point start;
    } stop{*this, step, start};
    return function();
  }

  const std::vector<std::string>& steps() const { return order_; }
  // These are 0 for a step that was never taken.
  double least_ms(const std::string& step) const { return in_order(step, 0); }
  double median_ms(const std::string& step) const { return in_order(step, 0.5); }
  double worst_ms(const std::string& step) const { return in_order(step, 1); }
  double total_ms() const {
    double sum = 0;
    for (const std::string& step : order_) sum += median_ms(step);
    return sum;
  }

 private:
  // The time that has this part of all before it.
  double in_order(const std::string& step, double part) const {
    const auto found = times_.find(step);
    if (found == times_.end()) return 0;
    std::vector<double> sorted = found->second;
    std::ranges::sort(sorted);
    const auto place = static_cast<size_t>(part * static_cast<double>(sorted.size()));
    return sorted[std::min(place, sorted.size() - 1)];
  }

  void add(const std::string& step, Milliseconds time) {
    if (!times_.contains(step)) order_.push_back(step);
    times_[step].push_back(time.count());
  }

  std::vector<std::string> order_;
  std::map<std::string, std::vector<double>> times_;
};

}  // namespace longshore::bench
