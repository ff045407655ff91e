// Measures longshored.exe with its six groups: its start until all pipes are there, its memory, and
// PathExists over a pipe beside the least that the protocol costs.
//
//   windows_bench STARTS ROUNDS CALLS
//
// The two servers take turns, ROUNDS times CALLS calls each, so that a noisy machine hits both.
// Prints a name and a figure a line, medians; tests/bench/run_windows reads them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "longshore/windows/wide_text.hpp"
#include "tests/bench/client/call_load.h"
#include "tests/support/eventually.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/agent_program.h"
#include "tests/windows/started_program.h"

namespace longshore::bench {
namespace {

using Clock = std::chrono::steady_clock;
using test::AgentFolder;
using test::StartedProgram;

const std::map<std::string, std::vector<std::string>> kVersions = {
    {"disk", {"v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1"}},
    {"filesystem", {"v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1"}},
    {"iscsi", {"v1alpha1", "v1alpha2"}},
    {"smb", {"v1alpha1", "v1beta1", "v1beta2", "v1"}},
    {"system", {"v1alpha1"}},
    {"volume", {"v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1", "v2alpha1"}},
};

std::vector<std::string> pipes_of(const AgentFolder& folder) {
  std::vector<std::string> pipes{folder.control_pipe()};
  for (const auto& [group, versions] : kVersions) {
    for (const std::string& version : versions) {
      pipes.push_back(folder.csi_proxy_pipe(group + "-" + version));
    }
  }
  return pipes;
}

// Whether a client would find it, without being one.
bool is_there(const std::string& pipe) { return WaitNamedPipeW(wide(pipe).c_str(), 1) != 0; }

void wait_for(const std::string& pipe, const StartedProgram& server) {
  const bool came = test::eventually([&] { return is_there(pipe) || server.exit_code(); });
  if (!came || server.exit_code()) throw std::runtime_error("nobody listens at " + pipe);
}

double median(std::vector<double> figures) {
  std::ranges::sort(figures);
  return figures.at(figures.size() / 2);
}

void print(const char* name, double figure) { std::printf("%s %.1f\n", name, figure); }

StartedProgram start_agent(const AgentFolder& folder) {
  return {"longshored", {"--config", folder.config_file()}, folder / "log"};
}

void configure(const AgentFolder& folder, const std::string& root) {
  std::string text = folder.agent_section();
  for (const auto& group : kVersions) text += "[modules." + group.first + "]\n";
  text += "[modules.filesystem.settings]\nallowed_roots = ['" + root + "']\n";
  test::write_file(folder.config_file(), text);
}

void measure_starts(const AgentFolder& folder, int starts) {
  std::vector<double> times;
  const std::vector<std::string> pipes = pipes_of(folder);
  for (int i = 0; i < starts; ++i) {
    const Clock::time_point begin = Clock::now();
    const StartedProgram agent = start_agent(folder);
    for (const std::string& pipe : pipes) wait_for(pipe, agent);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  print("pipes", static_cast<double>(pipes.size()));
  print("start_ms", median(times));
}

struct Server {
  const char* name;
  std::string pipe;
  std::vector<double> p50 = {};
  std::vector<double> p99 = {};
};

void measure(Server& server, const CallLoad& load) {
  test::TestClient client(server.pipe);
  const CallFigures figures = measure_calls(client, load);
  if (figures.failures > 0) throw std::runtime_error(std::string(server.name) + ": calls failed");
  server.p50.push_back(figures.p50_us);
  server.p99.push_back(figures.p99_us);
}

void run(int starts, int rounds, size_t calls) {
  const test::TemporaryDirectory root;
  const AgentFolder folder;
  configure(folder, root.path().string());
  measure_starts(folder, starts);

  const std::string limit_pipe = folder.csi_proxy_pipe("limit");
  const StartedProgram agent = start_agent(folder);
  const StartedProgram limit("limit_server", {limit_pipe}, folder / "limit");
  for (const std::string& pipe : pipes_of(folder)) wait_for(pipe, agent);
  wait_for(limit_pipe, limit);
  print("idle_kib", static_cast<double>(agent.working_set()) / 1024);
  Server servers[] = {{"agent", folder.csi_proxy_pipe("filesystem-v1")}, {"limit", limit_pipe}};
  const CallLoad load{"v1.Filesystem/PathExists", test::WireWriter().text(1, root.path().string()),
                      calls};
  for (int round = 0; round < rounds; ++round) {
    for (Server& server : servers) measure(server, load);
  }
  for (const Server& server : servers) {
    print((std::string(server.name) + "_p50_us").c_str(), median(server.p50));
    print((std::string(server.name) + "_p99_us").c_str(), median(server.p99));
  }
  print("after_kib", static_cast<double>(agent.working_set()) / 1024);
}

}  // namespace
}  // namespace longshore::bench

int main(int count, char** words) {
  const int starts = count == 4 ? std::atoi(words[1]) : 0;
  const int rounds = count == 4 ? std::atoi(words[2]) : 0;
  const int calls = count == 4 ? std::atoi(words[3]) : 0;
  if (starts < 1 || rounds < 1 || calls < 1) {
    std::fputs("usage: windows_bench STARTS ROUNDS CALLS\n", stderr);
    return 2;
  }
  try {
    longshore::bench::run(starts, rounds, static_cast<size_t>(calls));
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "windows_bench: %s\n", failure.what());
    return 1;
  }
}
