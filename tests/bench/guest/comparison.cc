#include "tests/bench/guest/comparison.h"

#include <iomanip>
#include <iostream>
#include <stdexcept>

#include "support/linux/command.h"

namespace longshore::bench {
namespace {

struct Figures {
  double least = 0, median = 0, worst = 0;
};

Figures figures_of(const Stopwatch& times, const std::string& step) {
  return {times.least_ms(step), times.median_ms(step), times.worst_ms(step)};
}

void print_row(const std::string& name, const Figures& figures) {
  std::cout << std::left << std::setw(26) << name << std::right << std::setw(9) << figures.least
            << std::setw(9) << figures.median << std::setw(9) << figures.worst << "\n";
}

void print_table(const Stopwatch& agent, const Stopwatch& commands) {
  std::cout << "ms                            least   median    worst\n";
  for (size_t place = 0; place < agent.steps().size(); ++place) {
    const std::string &call = agent.steps()[place], &command = commands.steps().at(place);
    const Figures ours = figures_of(agent, call), theirs = figures_of(commands, command);
    print_row(call, ours);
    print_row(command, theirs);
    print_row("  ratio",
              {ours.least / theirs.least, ours.median / theirs.median, ours.worst / theirs.worst});
  }
  std::cout << std::flush;
}

}  // namespace

void compare(int rounds, const Way& agent, const Way& commands) {
  Stopwatch ours, theirs, uncounted;
  agent(uncounted);
  commands(uncounted);
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0) agent(ours);
    commands(theirs);
    if (round % 2 != 0) agent(ours);
  }
  std::cout << LONGSHORE_BUILD << " build, " << rounds << " rounds\n"
            << std::fixed << std::setprecision(2);
  print_table(ours, theirs);
}

void must_run(const std::vector<std::string>& command) {
  const auto end = support::run_command(command);
  if (!end) throw std::runtime_error(end.error().message());
  if (end->exit_code != 0) throw std::runtime_error(command.front() + ": " + end->complaint);
}

}  // namespace longshore::bench
