// The results, for people and for programs.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "tools/module_check/report.h"
#include "tools/module_check/subject.h"

namespace longshore::module_check {

struct TestResult {
  std::string test;
  Report report;
  std::chrono::milliseconds took{};
  std::string same_as = {};  // an earlier test that has found the same
};

// A line for a result, and one for what to do.
void print_result(const TestResult& result, std::ostream& output);
// How many there are of each, and how to repeat what went wrong.
void print_summary(const Subject& subject, const std::vector<TestResult>& results,
                   std::ostream& output);
// One object.
void print_json(const Subject& subject, const std::vector<TestResult>& results,
                std::ostream& output);

// Whether nothing failed or crashed.
bool is_good(const std::vector<TestResult>& results);

}  // namespace longshore::module_check
