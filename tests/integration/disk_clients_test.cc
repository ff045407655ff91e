// Many clients at once on few disks: whatever they do to each other's volumes, nothing is made
// twice, and what they were answered is so.
//
// Random choices come from LONGSHORE_SEED, which is printed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/disk_node.h"
#include "tests/support/is_long.h"
#include "tests/support/is_thorough.h"
#include "tests/support/random_seed.h"
#include "tests/support/require.h"
#include "tests/support/wire_reader.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr size_t kDisks = 8;
constexpr size_t kClients = 64;

// A race shows itself in the first ones.
int steps_of_client() { return is_long() ? 200 : is_thorough() ? 20 : 8; }

// What must never change on a disk once it was seen. Threads: any.
class Seen {
 public:
  void volume(const std::string& id) { stays(volume_, id, "the partition"); }
  void filesystem(const std::string& uuid) { stays(filesystem_, uuid, "the filesystem"); }

 private:
  void stays(std::optional<std::string>& first, const std::string& now, const char* what) {
    const std::lock_guard lock(mutex_);
    if (!first) first = now;
    require(*first == now, what + (" was made twice: first " + *first + ", then " + now));
  }

  std::mutex mutex_;
  std::optional<std::string> volume_, filesystem_;
};

// One client, with a target of its own on a disk that others use too.
class Client {
 public:
  Client(const DiskNode& node, size_t place, const std::string& name, Seen& seen, uint64_t seed)
      : node_(node),
        place_(place),
        seen_(seen),
        target_(node.make_target(name)),
        random_(seed),
        client_(node) {}

  void run() {
    const int steps = steps_of_client();
    for (int step = 0; step < steps; ++step) take_step();
    // Others may still be at work on the volume.
    while (is_mounted_) unmount();
  }

  const std::map<StatusCode, int>& codes() const { return codes_; }

 private:
  void take_step() {
    list();
    if (id_.empty()) return partition();
    // First of all, so that each disk has a filesystem whatever is drawn.
    if (!was_format_asked_) return format();
    constexpr void (Client::*kSteps[])() = {&Client::partition, &Client::format, &Client::mount,
                                            &Client::unmount,   &Client::flush,  &Client::stats,
                                            &Client::mount,     &Client::unmount};
    (this->*kSteps[random_() % std::size(kSteps)])();
  }

  // Whether it was done. Only the codes are allowed that the method's description has.
  bool was_done(const char* step, const DiskClient::Called& answer,
                const std::set<StatusCode>& allowed) {
    ++codes_[answer->code()];
    require(answer->code() == StatusCode::kOk || allowed.contains(answer->code()),
            step + (": " + answer->text()));
    return answer->code() == StatusCode::kOk;
  }

  void list() {
    const auto answer = client_.list(node_.disk(place_).number());
    was_done("list", answer, {});
    const auto ids = ids_in(answer);
    require(ids.size() == 1 || (ids.empty() && id_.empty()),
            "not one volume but " + std::to_string(ids.size()));
    if (ids.empty()) return;
    id_ = ids.front();
    seen_.volume(id_);
  }

  void partition() {
    was_done("partition", client_.partition(node_.disk(place_).number()), {StatusCode::kAborted});
  }

  // Somebody may have mounted it, or written to it since.
  void format() {
    was_format_asked_ = true;
    if (was_done("format", client_.format(id_),
                 {StatusCode::kAborted, StatusCode::kFailedPrecondition})) {
      seen_.filesystem(node_.filesystem_uuid(place_));
    }
  }

  // There may be no filesystem yet.
  void mount() {
    if (was_done("mount", client_.mount(id_, target_),
                 {StatusCode::kAborted, StatusCode::kFailedPrecondition})) {
      is_mounted_ = true;
      seen_.filesystem(node_.filesystem_uuid(place_));
    }
    check_mount();
  }

  void unmount() {
    if (was_done("unmount", client_.unmount(id_, target_), {StatusCode::kAborted})) {
      is_mounted_ = false;
    }
    check_mount();
  }

  // Between the look at the mounts and the use of one it may be unmounted.
  void flush() { was_done("flush", client_.flush(id_), {StatusCode::kFailedPrecondition}); }
  void stats() {
    const auto answer = client_.stats(id_);
    if (!was_done("stats", answer, {StatusCode::kFailedPrecondition})) return;
    const WireReader figures(answer->messages.at(0));
    require(figures.number(1) + 20 * kMebibyte >= 48 * kMebibyte &&
                figures.number(2) < figures.number(1),
            "the volume has an impossible size");
  }

  void check_mount() const {
    auto mounts = node_.mounts();
    std::erase_if(mounts, [&](const auto& mount) { return mount.point != target_; });
    require(mounts.size() == (is_mounted_ ? 1u : 0u),
            target_ + " is mounted " + std::to_string(mounts.size()) + " times");
    require(mounts.empty() || mounts.front().source == node_.partition_node(place_),
            "another volume is mounted");
  }

  const DiskNode& node_;
  const size_t place_;
  Seen& seen_;
  const std::string target_;
  std::mt19937_64 random_;
  DiskClient client_;
  // What was answered.
  std::string id_;
  bool was_format_asked_ = false;
  bool is_mounted_ = false;
  std::map<StatusCode, int> codes_;
};

}  // namespace

TEST_CASE("Many clients share few disks, and nothing is made twice") {
  const uint64_t seed = random_seed();
  DiskNode node({.disks = kDisks, .bytes = 48 * kMebibyte});
  AgentProcess agent(node.directory());
  REQUIRE(agent.serves());
  std::deque<Seen> seen(kDisks);
  std::deque<Client> clients;
  for (size_t number = 0; number < kClients; ++number) {
    const size_t place = number % kDisks;
    clients.emplace_back(node, place, std::to_string(number), seen[place], seed + number);
  }

  std::vector<std::string> faults(kClients);
  std::vector<std::thread> threads;
  for (size_t number = 0; number < kClients; ++number) {
    threads.emplace_back([&, number] {
      try {
        clients[number].run();
      } catch (const std::exception& fault) {
        faults[number] = fault.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& fault : faults) CHECK(fault == "");

  std::map<StatusCode, int> codes;
  for (const Client& client : clients) {
    for (const auto& [code, count] : client.codes()) codes[code] += count;
  }
  CHECK(codes[StatusCode::kOk] > codes[StatusCode::kFailedPrecondition]);
  CHECK(codes[StatusCode::kAborted] > 0);  // they did meet
  CHECK(node.mounts().empty());
  DiskClient last(node);
  for (size_t place = 0; place < kDisks; ++place) {
    CAPTURE(place);
    const auto ids = ids_in(last.list(node.disk(place).number()));
    REQUIRE(ids.size() == 1);
    CHECK_NOTHROW(seen[place].volume(ids.front()));
    CHECK_NOTHROW(seen[place].filesystem(node.filesystem_uuid(place)));
  }
  CHECK(agent.stop() == 0);
}
