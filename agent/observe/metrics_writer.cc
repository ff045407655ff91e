#include "observe/metrics_writer.h"

#include <charconv>
#include <cmath>

namespace longshore::observe {

MetricLabels::MetricLabels(
    std::initializer_list<std::pair<std::string_view, std::string_view>> labels) {
  for (const auto& [name, value] : labels) {
    if (!text_.empty()) text_ += ',';
    text_.append(name).append("=\"");
    append_escaped(value);
    text_ += '"';
  }
}

void MetricLabels::append_escaped(std::string_view value) {
  if (value.find_first_of("\\\"\n") == std::string_view::npos) {
    text_ += value;
    return;
  }
  for (const char c : value) {
    if (c == '\\' || c == '"') text_ += '\\';
    if (c == '\n') {
      text_ += "\\n";
    } else {
      text_ += c;
    }
  }
}

void MetricsWriter::family(std::string_view name, std::string_view help, Type type) {
  name_ = name;
  const char* const word = type == Type::kCounter ? "counter"
                           : type == Type::kGauge ? "gauge"
                                                  : "histogram";
  text_.append("# HELP ").append(name).append(" ").append(help);
  text_.append("\n# TYPE ").append(name).append(" ").append(word).append("\n");
}

void MetricsWriter::histogram(std::string_view labels, uint64_t count, double sum) {
  line("_count", labels, {}, static_cast<double>(count));
  line("_sum", labels, {}, sum);
}

void MetricsWriter::bucket(std::string_view labels, std::string_view upper_end, uint64_t count) {
  text_.append(name_).append("_bucket{").append(labels);
  if (!labels.empty()) text_ += ',';
  text_.append("le=\"").append(upper_end).append("\"} ");
  char digits[32];
  text_.append(digits, std::to_chars(digits, digits + sizeof(digits), count).ptr);
  text_ += '\n';
}

void MetricsWriter::line(std::string_view suffix, std::string_view labels,
                         std::string_view more_labels, double value) {
  text_.append(name_).append(suffix);
  if (!labels.empty()) {
    text_.append("{").append(labels);
    if (!more_labels.empty()) text_.append(",").append(more_labels);
    text_ += '}';
  }
  text_ += ' ';
  number(value);
  text_ += '\n';
}

void MetricsWriter::number(double value) {
  if (std::isinf(value)) {
    text_ += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  char digits[32];
  const bool is_whole = std::abs(value) < 1e15 && std::trunc(value) == value;
  const auto end = is_whole
                       ? std::to_chars(digits, digits + sizeof(digits), static_cast<int64_t>(value))
                       : std::to_chars(digits, digits + sizeof(digits), value);
  text_.append(digits, end.ptr);
}

}  // namespace longshore::observe
