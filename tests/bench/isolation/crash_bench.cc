// Measures how long a module that runs in a process of its own is away when that process is killed.
//
//   crash_bench <socket> <path> <agent's process id> <kills>
//
// Calls PathExists, kills the agent's one child and calls again until there is an answer; prints
// the median and the worst time from the kill to the answer, in milliseconds.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/process_figures.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

namespace longshore::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Throws unless there is exactly one.
pid_t child_of(pid_t agent) {
  const std::vector<pid_t> children = test::children_of(agent);
  if (children.size() != 1) throw std::runtime_error("the agent does not have one child");
  return children.front();
}

bool exists(test::TestClient& client, const std::string& path) {
  const auto answer = client.call("v1.Filesystem/PathExists", test::WireWriter().text(1, path));
  return answer->code() == StatusCode::kOk &&
         answer->messages.at(0) == test::WireWriter().number(1, 1).bytes();
}

void run(const std::string& socket, const std::string& path, pid_t agent, int kills) {
  test::TestClient client(socket);
  std::vector<double> times;
  for (int i = 0; i < kills; ++i) {
    if (!exists(client, path)) throw std::runtime_error("wrong answer");
    const pid_t child = child_of(agent);
    const auto begin = Clock::now();
    if (kill(child, SIGKILL) != 0) throw std::runtime_error("cannot kill");
    // The first answer may still be the old process's, or tell that it ended.
    while (kill(child, 0) == 0 || !exists(client, path)) {
      if (Clock::now() - begin > std::chrono::seconds(30)) throw std::runtime_error("no answer");
    }
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::ranges::sort(times);
  std::printf("serving again after a kill: median %.1f ms, worst %.1f ms, %zu kills\n",
              times[times.size() / 2], times.back(), times.size());
}

}  // namespace
}  // namespace longshore::bench

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: crash_bench <socket> <path> <agent's process id> <kills>\n");
    return 2;
  }
  try {
    longshore::bench::run(argv[1], argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crash_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
