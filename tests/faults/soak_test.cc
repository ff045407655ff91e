// An agent that works for long holds no more than after its first minute.
//
// 100,000 calls and 20 upgrades; with LONGSHORE_LONG=1 10,000,000 and 1,000.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <deque>
#include <filesystem>
#include <string>

#include "tests/integration/control_requests.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/is_long.h"
#include "tests/support/other_build.h"
#include "tests/support/process_figures.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr size_t kInFlight = 32;

struct Plan {
  uint64_t calls = 100'000;
  int upgrades = 20;
};

Plan plan() {
  if (!is_long()) return {};
  return {10'000'000, 1000};
}

// What must not grow.
struct Holdings {
  size_t descriptors;
  size_t threads;
  size_t kib;
};

Holdings holdings_of(pid_t process) {
  const std::filesystem::directory_iterator tasks("/proc/" + std::to_string(process) + "/task");
  return {open_descriptors(process), static_cast<size_t>(std::distance(begin(tasks), end(tasks))),
          memory_of(process).proportional_kib};
}

// Makes so many calls of one method, always some at once. The first that fails ends it.
bool make_calls(TestClient& client, const std::string& method, const std::string& request,
                uint64_t count) {
  std::deque<std::shared_ptr<Answer>> running;
  for (uint64_t begun = 0; begun < count || !running.empty();) {
    for (; begun < count && running.size() < kInFlight; ++begun) {
      running.push_back(client.start(method, request));
    }
    if (!client.run_until([&] { return running.front()->finished(); })) return false;
    if (running.front()->code() != StatusCode::kOk) return false;
    running.pop_front();
  }
  return true;
}

}  // namespace

TEST_CASE("Descriptors, threads and memory stay as they are over many calls and upgrades") {
  const AgentDirectory directory;
  // It reads what the kernel says of this machine's disks, and serves none.
  directory.configure("[modules.disk]\nsettings.disk_names = [\"none\"]\n");
  const std::string first = built_module("echo");
  const std::string other = directory / "longshore-echo-2.so";
  write_other_build(first, other);
  AgentProcess agent(directory);
  INFO(directory.log());
  REQUIRE(agent.serves());
  const auto work = [&](uint64_t calls, int number) {
    TestClient echo(directory.echo_socket());
    TestClient files(directory.filesystem_socket("v1"));
    TestClient disks(directory / "run/csi-proxy/disk-v1/csi-proxy-disk-v1.sock");
    const std::string path = WireWriter().text(1, directory.root());
    REQUIRE(make_calls(echo, "longshore.echo.v1.Echo/Say", say("here"), calls / 4));
    REQUIRE(make_calls(files, "v1.Filesystem/PathExists", path, calls / 8 * 3));
    REQUIRE(make_calls(disks, "v1.Disk/ListDiskIDs", {}, calls / 8));
    REQUIRE(make_calls(files, "v1.Filesystem/Mkdir", path, calls / 4));
    REQUIRE(upgrade(directory, "echo", number % 2 == 0 ? other : first).code == StatusCode::kOk);
  };
  const Plan wanted = plan();
  for (int number = 0; number < 4; ++number) work(8'000, number);  // first of everything
  const Holdings before = holdings_of(agent.id());
  for (int number = 0; number < wanted.upgrades; ++number) {
    work(wanted.calls / static_cast<uint64_t>(wanted.upgrades), number);
  }
  CAPTURE(before.descriptors, before.threads, before.kib);
  // Threads that nobody needs any more end, and memory goes back, after some seconds.
  CHECK(eventually([&] {
    const Holdings now = holdings_of(agent.id());
    return now.descriptors <= before.descriptors + 2 && now.threads <= before.threads;
  }));
  CHECK(eventually([&] { return holdings_of(agent.id()).kib <= before.kib + 2048; }));
  CHECK(agent.stop() == 0);
}
