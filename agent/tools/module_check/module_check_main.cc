// longshore-module-check: finds what is wrong with a module before an agent loads it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <optional>
#include <random>

#include "config/toml_text.h"
#include "core/version.h"
#include "tools/cli_completion.h"
#include "tools/module_check/check_apart.h"
#include "tools/module_check/checks.h"
#include "tools/module_check/print.h"
#include "tools/program_words.h"

namespace longshore::module_check {
namespace {

constexpr int kExitGood = 0;
constexpr int kExitUsage = 1;
constexpr int kExitBad = 2;

constexpr const char* kFooter =
    "By default it does no damage, as far as the module keeps its word: only methods annotated\n"
    "reads_only get requests that can be parsed. The others get bytes that are no message, which "
    "a\n"
    "module has to refuse. With --call-mutating every method is called with random requests: do\n"
    "that only where the module can reach nothing that matters. The module's code runs, with the\n"
    "rights of whoever runs this.\n"
    "\n"
    "Each test runs in a process of its own. A random choice depends on the seed and the test's\n"
    "name only, so that --seed and --only repeat a failure.\n"
    "\n"
    "Exit codes:\n"
    "  0  nothing failed or crashed\n"
    "  1  wrong usage\n"
    "  2  a test failed or crashed\n"
    "\n"
    "Example:\n"
    "  longshore-module-check --settings capacity=5 build/modules/longshore-shelf.so";

struct CommandLine {
  Options options;
  std::string time_limit = "20s";
  bool list = false;
  bool json = false;
};

void describe(CLI::App& app, CommandLine& line) {
  Options& options = line.options;
  app.name("longshore-module-check");
  app.set_version_flag("--version", core::kVersion);
  app.get_formatter()->column_width(28);
  app.add_option("FILE", options.file, "The module")->type_name("");
  app.add_option("--seed", options.seed, "Where random choices begin; by default anywhere")
      ->type_name("NUMBER");
  app.add_option("--only", options.only, "Only these tests, by pattern; may be repeated")
      ->type_name("TEST")
      ->allow_extra_args(false);
  app.add_option("--settings", options.settings,
                 "A setting as KEY=VALUE, a list as KEY=A,B; may be repeated")
      ->type_name("SETTING")
      ->allow_extra_args(false);
  app.add_option("--except", options.except,
                 "Call no method that fits this pattern; may be repeated")
      ->type_name("METHOD")
      ->allow_extra_args(false);
  app.add_flag("--call-mutating", options.call_mutating,
               "Also call methods that change something with requests that can be parsed");
  app.add_option("--time-limit", line.time_limit, "How long a test may take")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_flag("--list", line.list, "List the tests");
  app.add_flag("--json", line.json, "Print one JSON object");
  app.footer(kFooter);
}

// For the shell; see packaging/completion.
int complete(const CLI::App& app, const std::vector<std::string>& words) {
  const auto values = [](const std::string& type, const std::string&) {
    std::vector<std::string> names;
    if (type == "TEST") {
      for (const Check& check : all_checks()) names.emplace_back(check.name);
    }
    return names;
  };
  cli_completion::print(cli_completion::complete(app, words, values), std::cout);
  return kExitGood;
}

int fail_usage(const std::string& why) {
  std::cerr << "longshore-module-check: " << why
            << "\nlongshore-module-check --help tells how it is used.\n";
  return kExitUsage;
}

int list() {
  for (const Check& check : all_checks()) {
    std::cout << std::left << std::setw(16) << check.name << check.what << '\n';
  }
  return kExitGood;
}

// Whether this test tells why the agent would not load the file: it runs whatever was chosen.
bool tells_refusal(const Check& check, const Subject& subject) {
  return check.run == (subject.file_fault ? &check_file : &check_description) &&
         !subject.may_be_loaded();
}

// None when the command line names none.
std::vector<const Check*> checks_to_run(const Subject& subject) {
  const Options& options = subject.options;
  const auto is_chosen = [&](const Check& check) {
    return options.only.empty() || fits_one_of(options.only, check.name);
  };
  if (std::ranges::none_of(all_checks(), is_chosen)) return {};
  std::vector<const Check*> checks;
  for (const Check& check : all_checks()) {
    if (is_chosen(check) || tells_refusal(check, subject)) checks.push_back(&check);
  }
  return checks;
}

Report run_check(const Check& check, const Subject& subject, bool serves) {
  if (check.needs != Needs::kNothing && !subject.may_be_loaded()) {
    return {Outcome::kSkipped, "the agent would not load the file",
            "see the tests file and description"};
  }
  if (check.needs == Needs::kService && !serves) {
    return {Outcome::kSkipped, "the module does not come to serve", "see the test life"};
  }
  return run_check_apart(check, subject);
}

// The first of the tests that went wrong in the same way: what differs is the call.
std::string first_alike(const std::vector<TestResult>& results, const Report& report) {
  const auto fault = [](const Report& of) { return of.text.substr(0, of.text.find("; seen ")); };
  if (report.outcome < Outcome::kFailed) return {};
  for (const TestResult& each : results) {
    if (each.report.outcome == report.outcome && fault(each.report) == fault(report)) {
      return each.test;
    }
  }
  return {};
}

int run(const Subject& subject, bool as_json) {
  using Clock = std::chrono::steady_clock;
  const auto checks = checks_to_run(subject);
  if (checks.empty()) return fail_usage("no test has such a name; --list names them all");
  if (!as_json) {
    std::cout << subject.options.file << ": " << subject.entry.name << ' ' << subject.entry.version
              << ", seed " << subject.options.seed << "\n\n";
  }
  std::vector<TestResult> results;
  bool serves = true;
  for (const Check* check : checks) {
    const auto begun = Clock::now();
    Report report = run_check(*check, subject, serves);
    if (check->run == &check_load || check->run == &check_life) serves = serves && report.serves;
    std::string same_as = first_alike(results, report);
    results.push_back({check->name, std::move(report),
                       std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun),
                       std::move(same_as)});
    if (!as_json) print_result(results.back(), std::cout);
  }
  as_json ? print_json(subject, results, std::cout) : print_summary(subject, results, std::cout);
  return is_good(results) ? kExitGood : kExitBad;
}

int start(CommandLine& line, bool has_seed, const std::optional<ApartTest>& apart) {
  if (line.list) return list();
  Options& options = line.options;
  if (options.file.empty()) return fail_usage("FILE is missing");
  const auto limit = config::parse_duration(line.time_limit);
  if (!limit || *limit < std::chrono::seconds(1)) {
    return fail_usage("write --time-limit as \"20s\", and not below a second");
  }
  options.time_limit = *limit;
  if (!has_seed) options.seed = std::random_device()();
  if (apart) options.seed = apart->seed;
  const Result<Subject> subject = read_subject(options);
  if (!subject) return fail_usage(subject.error().message());
  return apart ? apart->run(*subject) : run(*subject, line.json);
}

}  // namespace
}  // namespace longshore::module_check

int main(int argc, char** argv) {
  using namespace longshore::module_check;
  std::vector<std::string> words = longshore::program_words(argc, argv);
  const std::optional<ApartTest> apart = take_apart_test(words);
  CommandLine line;
  CLI::App app("Checks that a module keeps to the contract of longshore/abi.h.");
  describe(app, line);
  if (words.size() > 1 && words[0] == "__complete" && words[1] == "--") {
    return complete(app, {words.begin() + 2, words.end()});
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the last comes first
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitGood : kExitUsage;
  }
  return start(line, app.count("--seed") > 0, apart);
}
