// Writes metrics in Prometheus' text format 0.0.4: families with their series, in order.
//
// Not Prometheus' C++ library: it makes an object of each label of each series and writes numbers
// by streams, which takes 2 ms for sixty modules and 26 ms for a thousand methods; and the cross
// build has none. The format is a few lines. Threads: one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace longshore::observe {

// Labels as they stand in a line, without braces: made once for series that share them.
class MetricLabels {
 public:
  MetricLabels() = default;
  MetricLabels(std::initializer_list<std::pair<std::string_view, std::string_view>> labels);

  std::string_view text() const { return text_; }

 private:
  void append_escaped(std::string_view value);

  std::string text_;
};

class MetricsWriter {
 public:
  enum class Type { kCounter, kGauge, kHistogram };
  // `bytes`: about so many will come.
  explicit MetricsWriter(size_t bytes = 0) { text_.reserve(bytes); }

  // Begins a family; its series follow. `name` and `help` live until the next one.
  void family(std::string_view name, std::string_view help, Type type);

  void value(std::string_view labels, double value) { line({}, labels, {}, value); }
  // A series whose `first` label comes before the others.
  void value(const MetricLabels& first, std::string_view labels, double value) {
    line({}, first.text(), labels, value);
  }

  // One of a histogram: its count and sum, and then its buckets from the first to the endless one,
  // each with all that is below. `upper_end` as it is written: "0.3", "+Inf".
  void histogram(std::string_view labels, uint64_t count, double sum);
  void bucket(std::string_view labels, std::string_view upper_end, uint64_t count);

  std::string take() { return std::move(text_); }

 private:
  void line(std::string_view suffix, std::string_view labels, std::string_view more_labels,
            double value);
  void number(double value);

  std::string text_;
  std::string_view name_;
};

}  // namespace longshore::observe
