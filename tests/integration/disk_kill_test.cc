// The agent is killed again and again while its clients change disks: no answered call is undone,
// and every call that was not answered reaches its goal when it is repeated.
//
// Random choices come from LONGSHORE_SEED, which is printed. How many kills: kill_counts.h.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/integration/control_requests.h"
#include "tests/support/byte_pattern.h"
#include "tests/support/disk_node.h"
#include "tests/support/eventually.h"
#include "tests/support/kill_counts.h"
#include "tests/support/mortal_agent.h"
#include "tests/support/random_seed.h"
#include "tests/support/require.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

constexpr size_t kWorkers = 4;
constexpr size_t kBystander = kWorkers;  // the place of the disk that nobody names
const std::string kYes = WireWriter().number(1, 1);

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

FileDescriptor open_disk(const LoopDisk& disk, int flags) {
  FileDescriptor opened(::open(disk.node().c_str(), flags | O_CLOEXEC));
  require(static_cast<bool>(opened), "cannot open " + disk.node());
  return opened;
}

// The filesystem, and disks that are large enough for it.
struct Plan {
  std::string filesystem;
  uint64_t bytes;
  bool resizes;
};

// Takes one disk through its life again and again, and knows what was answered.
class Worker {
 public:
  Worker(DiskNode& node, MortalAgent& agent, size_t place, const Plan& plan, uint64_t seed)
      : node_(node),
        place_(place),
        plan_(plan),
        agent_(agent),
        client_(node, agent),
        target_(node.make_target(std::to_string(place))),
        random_(seed) {}

  // One life, from a blank disk to a blank disk.
  void live() {
    partition();
    format();
    mount();
    agent_.between_starts([&] { write_file(target_ + "/file", id_); });
    has_file_ = true;
    if (plan_.resizes) resize();
    call([&](DiskClient& client) { return client.flush(id_); });
    unmount();
    mount();
    unmount();
    agent_.between_starts([&] { wipe(); });
    ++lives_;
  }

  int lives() const { return lives_; }
  int unanswered() const { return client_.unanswered(); }

 private:
  // Makes a change, sometimes twice, and looks whether all is as it was answered.
  template <typename Call>
  void call(const Call& change) {
    client_.answered(change);
    if (random_() % 4 == 0) client_.answered(change);
  }

  void partition() {
    const uint32_t number = node_.disk(place_).number();
    call([&](DiskClient& client) { return client.partition(number); });
    id_ = only_id();
  }

  void format() {
    call([&](DiskClient& client) { return client.format(id_); });
    uuid_ = uuid();
    check();
  }

  void mount() {
    call([&](DiskClient& client) { return client.mount(id_, target_); });
    is_mounted_ = true;
    check();
  }

  void unmount() {
    call([&](DiskClient& client) { return client.unmount(id_, target_); });
    is_mounted_ = false;
    check();
  }

  void resize() {
    agent_.between_starts([&] { node_.disk(place_).grow(plan_.bytes + 64 * kMebibyte); });
    size_ = plan_.bytes + 32 * kMebibyte;
    call([&](DiskClient& client) { return client.resize(id_, size_); });
    check();
  }

  std::string uuid() {
    return agent_.between_starts([&] { return node_.filesystem_uuid(place_); });
  }

  std::string only_id() {
    const uint32_t number = node_.disk(place_).number();
    const auto ids = WireReader(client_.answered([&](DiskClient& client) {
                       return client.list(number);
                     })).texts(1);
    require(ids.size() == 1, "not one volume but " + std::to_string(ids.size()));
    return ids.front();
  }

  // All that was answered since the disk was blank.
  void check() {
    require(only_id() == id_, "the volume has another id");
    require(uuid() == uuid_, "it was formatted once more");
    require(client_.answered([&](DiskClient& client) { return client.is_formatted(id_); }) == kYes,
            "it is not formatted any more");
    const WireReader stats(client_.answered([&](DiskClient& client) { return client.stats(id_); }));
    require(stats.number(1) + 20 * kMebibyte >= size_, "it has shrunk");
    agent_.between_starts([&] { check_mounts(); });
  }

  void check_mounts() const {
    auto mounts = node_.mounts();
    std::erase_if(mounts, [&](const auto& mount) { return mount.point != target_; });
    require(mounts.size() == (is_mounted_ ? 1u : 0u),
            "it is mounted " + std::to_string(mounts.size()) + " times");
    require(mounts.empty() || mounts.front().source == node_.partition_node(place_),
            "another volume is mounted");
    require(!is_mounted_ || !has_file_ || read_file(target_ + "/file") == id_,
            "the file is not what was written");
  }

  // Makes the disk blank, without the agent.
  void wipe() {
    node_.disk(place_).make_blank(plan_.bytes);
    has_file_ = false;
    size_ = 0;
  }

  DiskNode& node_;
  const size_t place_;
  const Plan& plan_;
  MortalAgent& agent_;
  PatientClient client_;
  const std::string target_;
  std::mt19937_64 random_;
  // What was answered.
  std::string id_, uuid_;
  bool is_mounted_ = false, has_file_ = false;
  uint64_t size_ = 0;
  int lives_ = 0;
};

// Lets the workers live while `kill` is done so many times. What went wrong, or "".
std::string live_and_kill(std::deque<Worker>& workers, int times, uint64_t seed,
                          const std::function<void(uint64_t choice)>& kill) {
  std::mutex mutex;
  std::condition_variable faulty;
  std::string faults;
  const auto report = [&](const std::exception& fault) {
    const std::lock_guard lock(mutex);
    faults += fault.what() + std::string("\n");
    faulty.notify_all();
  };
  std::atomic<bool> enough = false;
  std::vector<std::thread> threads;
  for (Worker& worker : workers) {
    threads.emplace_back([&] {
      try {
        while (!enough) worker.live();
      } catch (const std::exception& fault) {
        report(fault);
      }
    });
  }
  std::mt19937_64 random(seed);
  try {
    for (int done = 0; done < times; ++done) {
      {
        // Any moment will do; a fault ends the wait.
        std::unique_lock lock(mutex);
        const std::chrono::microseconds moment(random() % 150'000);
        if (faulty.wait_for(lock, moment, [&] { return !faults.empty(); })) break;
      }
      kill(random());
    }
  } catch (const std::exception& fault) {
    report(fault);
  }
  enough = true;
  for (std::thread& thread : threads) thread.join();
  return faults;
}

std::vector<Plan> plans() {
  const std::string growing = DiskNode::growing_filesystem();
  std::vector<Plan> plans = {{"ext4", 48 * kMebibyte, growing == "ext4"}};
  if (growing == "btrfs") plans.push_back({growing, 256 * kMebibyte, true});
  return plans;
}

bool all_serve(const AgentDirectory& directory) {
  return module_of(directory, "disk").state() == "serving" &&
         module_of(directory, "volume").state() == "serving";
}

// Kills what is told while four disks live and a fifth must not be touched.
using Kill = std::function<void(const DiskNode& node, MortalAgent& agent, uint64_t choice)>;

void check_lives(bool isolated, int kills, const Kill& kill) {
  const uint64_t seed = random_seed();
  const std::vector<Plan> all = plans();
  if (std::none_of(all.begin(), all.end(), [](const Plan& plan) { return plan.resizes; })) {
    std::puts("SKIPPED: no filesystem can grow here: no CAP_SYS_RESOURCE, no btrfs");
  }
  int done = 0;
  for (const Plan& plan : all) {
    CAPTURE(plan.filesystem);
    DiskNode node({.disks = kWorkers + 1,
                   .bytes = plan.bytes,
                   .filesystem = plan.filesystem,
                   .isolated = isolated});
    const BytePattern pattern(seed, plan.bytes);
    pattern.write_to(node.disk(kBystander).node());
    MortalAgent agent(node);
    std::deque<Worker> workers;
    for (size_t place = 0; place < kWorkers; ++place) {
      workers.emplace_back(node, agent, place, plan, seed + place + 1);
    }
    const int times = kills / static_cast<int>(all.size());
    const auto count_and_kill = [&](uint64_t choice) {
      kill(node, agent, choice);
      ++done;
    };
    REQUIRE(live_and_kill(workers, times, seed, count_and_kill) == "");
    CHECK(agent.stop() == 0);

    int unanswered = 0;
    for (const Worker& worker : workers) {
      CHECK(worker.lives() > 0);
      unanswered += worker.unanswered();
    }
    CHECK(unanswered > times / 10);
    CHECK(node.mounts().empty());
    for (size_t place = 0; place < node.disks(); ++place) {
      CAPTURE(place);
      CHECK(::flock(open_disk(node.disk(place), O_RDONLY).get(), LOCK_EX | LOCK_NB) == 0);
      node.disk(place).clear();
      CHECK(eventually([&] { return !node.disk(place).is_there(); }));
    }
    CHECK(pattern.is_in(node.disk(kBystander).file()));
  }
  CHECK(done == kills);
  tell_kills("disks", done);
}

}  // namespace

TEST_CASE("No answered call is undone by a kill, and every other one reaches its goal") {
  check_lives(false, kill_counts().of_agent_at_disks,
              [](const DiskNode&, MortalAgent& agent, uint64_t) { agent.kill_and_start(); });
}

TEST_CASE("Nor by the kill of a module's own process, which the agent survives") {
  int kills = 0;
  check_lives(true, kill_counts().of_modules_at_disks,
              [&](const DiskNode& node, MortalAgent& agent, uint64_t choice) {
                // A process is hit while it comes up, too. A module to which that happens four
                // times in a row is quarantined.
                if (kills++ % 3 == 0) {
                  require(eventually([&] { return all_serve(node.directory()); }),
                          "a module has no process that serves");
                }
                require(eventually([&] { return agent.kill_child(choice); }),
                        "no module has a process");
              });
}
