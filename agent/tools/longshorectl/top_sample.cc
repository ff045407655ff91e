#include "tools/longshorectl/top_sample.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "tools/longshorectl/table.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;

double growth(int64_t before, int64_t now) {
  return static_cast<double>(now >= before ? now - before : now);
}

v1::TopRow row_between(const messages::CallFigures& before, const messages::CallFigures& now,
                       double seconds) {
  v1::TopRow row;
  row.set_module(now.module());
  row.set_method(now.method());
  row.set_state(now.state());
  row.set_calls_per_second(growth(before.total(), now.total()) / seconds);
  row.set_failed_per_second(growth(before.failed(), now.failed()) / seconds);
  row.set_running(now.running());
  row.set_waiting(now.waiting());
  row.set_stuck(now.stuck());
  const double timed = growth(before.timed(), now.timed());
  if (timed > 0) row.set_mean_ms(growth(before.timed_us(), now.timed_us()) / timed / 1000);
  return row;
}

std::string number_text(double number) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", number > 0 && number < 100 ? 1 : 0, number);
  return text;
}

std::string mean_text(double milliseconds) {
  if (milliseconds <= 0) return "-";
  char text[64];
  std::snprintf(text, sizeof(text), "%.3f", milliseconds);
  return text;
}

Cell alarming(double number, Tone tone) {
  return {number_text(number), number > 0 ? tone : Tone::kPlain};
}

}  // namespace

v1::TopSample sample_between(const messages::GetCallFiguresResponse& before,
                             const messages::GetCallFiguresResponse& now) {
  const bool same_agent = now.uptime_us() > before.uptime_us();
  const int64_t elapsed = same_agent ? now.uptime_us() - before.uptime_us() : now.uptime_us();
  const double seconds = static_cast<double>(std::max<int64_t>(elapsed, 1)) / 1e6;
  std::map<std::pair<std::string, std::string>, const messages::CallFigures*> earlier;
  for (const auto& each : before.figures()) {
    if (same_agent) earlier[{each.module(), each.method()}] = &each;
  }
  v1::TopSample sample;
  sample.set_seconds(seconds);
  for (const auto& each : now.figures()) {
    const auto found = earlier.find({each.module(), each.method()});
    const messages::CallFigures nothing;
    *sample.add_rows() =
        row_between(found == earlier.end() ? nothing : *found->second, each, seconds);
  }
  return sample;
}

PrintedText top_table(const v1::TopSample& sample, bool by_method, const Paint& paint) {
  std::vector<const v1::TopRow*> rows;
  for (const auto& row : sample.rows()) rows.push_back(&row);
  if (by_method) {
    std::stable_sort(rows.begin(), rows.end(), [](const v1::TopRow* a, const v1::TopRow* b) {
      return a->calls_per_second() > b->calls_per_second();
    });
    Table table({"METHOD", "MODULE", "CALLS/S", "FAILED/S", "RUNNING", "MEAN MS"});
    for (const v1::TopRow* row : rows) {
      table.add({row->method(), row->module(), number_text(row->calls_per_second()),
                 alarming(row->failed_per_second(), Tone::kBad), std::to_string(row->running()),
                 mean_text(row->mean_ms())});
    }
    return table.text(paint);
  }
  Table table({"MODULE", "STATE", "CALLS/S", "FAILED/S", "RUNNING", "WAITING", "STUCK", "MEAN MS"});
  for (const v1::TopRow* row : rows) {
    table.add({row->module(), word_cell(row->state()), number_text(row->calls_per_second()),
               alarming(row->failed_per_second(), Tone::kBad), std::to_string(row->running()),
               alarming(static_cast<double>(row->waiting()), Tone::kAttention),
               alarming(static_cast<double>(row->stuck()), Tone::kBad), mean_text(row->mean_ms())});
  }
  return table.text(paint);
}

}  // namespace longshore::ctl
