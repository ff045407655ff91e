#include "tools/module_check/print.h"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>

#include "observe/json_text.h"
#include "observe/log_line.h"
#include "text/escape.h"

namespace longshore::module_check {
namespace {

constexpr std::array kOutcomes = {Outcome::kPassed, Outcome::kWarning, Outcome::kFailed,
                                  Outcome::kCrashed, Outcome::kSkipped};

auto count(const std::vector<TestResult>& results, Outcome outcome) {
  return std::ranges::count_if(
      results, [&](const TestResult& each) { return each.report.outcome == outcome; });
}

bool is_bad(const TestResult& result) { return result.report.outcome >= Outcome::kFailed; }

}  // namespace

bool is_good(const std::vector<TestResult>& results) {
  return std::ranges::none_of(results, is_bad);
}

void print_result(const TestResult& result, std::ostream& output) {
  const Report& report = result.report;
  output << std::left << std::setw(9) << outcome_name(report.outcome) << std::setw(16)
         << result.test;
  if (!result.same_as.empty()) {
    output << "the same as in " << result.same_as << '\n';
  } else if (report.outcome == Outcome::kSkipped) {
    output << report.text << "; " << report.advice << '\n';
  } else {
    output << text::escaped(report.text) << '\n';
    if (!report.advice.empty()) output << std::string(25, ' ') << "-> " << report.advice << '\n';
  }
  output.flush();
}

void print_summary(const Subject& subject, const std::vector<TestResult>& results,
                   std::ostream& output) {
  output << '\n';
  for (const Outcome outcome : kOutcomes) {
    output << (outcome == kOutcomes.front() ? "" : ", ") << count(results, outcome) << ' '
           << outcome_name(outcome);
  }
  output << "; seed " << subject.options.seed << '\n';
  const auto bad = std::ranges::find_if(results, is_bad);
  if (bad == results.end()) return;
  output << "To repeat one: longshore-module-check --seed " << subject.options.seed << " --only "
         << bad->test;
  for (const std::string& each : subject.options.settings) output << " --settings " << each;
  for (const std::string& each : subject.options.except) output << " --except " << each;
  if (subject.options.call_mutating) output << " --call-mutating";
  output << ' ' << text::escaped(subject.options.file) << '\n';
}

void print_json(const Subject& subject, const std::vector<TestResult>& results,
                std::ostream& output) {
  observe::JsonText json;
  json.object([&] {
    json.member("file", subject.options.file);
    json.member("name", subject.entry.name);
    json.member("version", subject.entry.version);
    json.member("vendor", subject.entry.vendor);
    json.member("seed", subject.options.seed);
    for (const Outcome outcome : kOutcomes) {
      json.member(outcome_name(outcome), static_cast<uint64_t>(count(results, outcome)));
    }
    json.array("results", results, [&](const TestResult& each) {
      json.object([&] {
        json.member("test", each.test);
        json.member("outcome", outcome_name(each.report.outcome));
        json.member("text", each.report.text);
        json.member("advice", each.report.advice);
        json.member("milliseconds", each.took);
      });
    });
  });
  output << json.take() << '\n';
}

}  // namespace longshore::module_check
