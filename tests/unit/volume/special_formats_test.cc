// FormatVolume with an mkfs that is missing, fails, dies or takes its time.
#include <fcntl.h>
#include <poll.h>

#include <fstream>
#include <future>

#include "support/linux/command.h"
#include "tests/support/eventually.h"
#include "tests/unit/volume/disk_world.h"
#include "tests/unit/volume/run_program.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

constexpr const char* kMkfs = "/usr/sbin/mkfs.ext4";
constexpr const char* kRealMkfs = "/usr/sbin/mkfs.ext4 \"$@\"\n";
// Gives what was made a feature that no kernel has, as an mkfs does that is newer than the kernel.
constexpr const char* kNewFeature =
    "for device; do :; done\n/usr/sbin/debugfs -w -R 'feature FEATURE_I31' $device\n";

std::string text_in(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An mkfs that stops in the middle, after it added a line to runs(), until it is let go on.
class SlowMkfs {
 public:
  SlowMkfs(const Node& node, const std::string& ending)
      : started_(open_pipe(node.at("started"))),
        go_on_(open_pipe(node.at("go-on"))),
        runs_(node.at("runs")) {
    node.put_mkfs("echo run >> " + runs_ + "\necho > " + node.at("started") + "\nread word < " +
                  node.at("go-on") + "\n" + ending);
  }

  void await() const {
    pollfd pipe{started_.get(), POLLIN, 0};
    REQUIRE(::poll(&pipe, 1, 60'000) == 1);
  }
  // Also those that follow, if there are any against expectation.
  void let_go() const { REQUIRE(::write(go_on_.get(), "\n\n\n", 3) == 3); }
  std::string runs() const { return text_in(runs_); }

 private:
  // Both ends, so that nobody waits for the other to come.
  static FileDescriptor open_pipe(const std::string& path) {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    return FileDescriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  }

  const FileDescriptor started_, go_on_;
  const std::string runs_;
};

// An ext4 on the disk's partition, made by nobody's agent.
void put_filesystem(const LoopDisk& disk, const std::string& uuid) {
  const Result<support::CommandEnd> made =
      support::run_command({kMkfs, "-q", "-F", "-U", uuid, disk.node() + "p1"}, {});
  REQUIRE(made);
  REQUIRE(made->exit_code == 0);
}

// The sixteen bytes of the uuid in that ext4.
std::string uuid_on(const LoopDisk& disk) {
  return test::read_bytes(disk.node() + "p1", 1024 + 104, 16);
}

// After an mkfs that came to nothing: no filesystem, whatever is there, until the real one ran.
void check_not_formatted(Agent& agent, Node& node, const std::string& id, const LoopDisk& disk) {
  const std::string target = node.target("target");
  CHECK(agent.is_formatted(id) == "false");
  CHECK(agent.mount(id, target) == "FAILED_PRECONDITION");
  // As after the agent was started again.
  Agent next(node, {&disk});
  CHECK(next.is_formatted(id) == "false");
  CHECK(next.mount(id, target) == "FAILED_PRECONDITION");
  CHECK(next.format(id) == "OK");
  CHECK(next.is_formatted(id) == "true");
  CHECK(next.mount(id, target) == "OK");
  CHECK(next.id_at(target) == id);
}

TEST_CASE("an mkfs that is not there is told and changes nothing") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk}, {.mkfs_directory = node.programs()});
  const std::string id = agent.new_volume(disk);
  const Result<void> refused = agent.try_format(id);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kUnimplemented);
  CHECK_THAT(refused.error().message(), Catch::Contains(node.programs() + "/mkfs.ext4"));
  CHECK(std::filesystem::is_empty(node.state()));
  check_not_formatted(agent, node, id, disk);
}

TEST_CASE("an mkfs that fails or dies leaves a volume that is not formatted") {
  const auto [script, sentence] = GENERATE(table<std::string, std::string>({
      {"echo no such luck >&2\nexit 7\n", "ended with 7: no such luck"},
      {"kill -9 $$\n", "ended with 137"},
      // Half-way: the superblock is there.
      {kRealMkfs + std::string("exit 1\n"), "ended with 1"},
      {kRealMkfs + std::string("kill -9 $$\n"), "ended with 137"},
      {"for device; do :; done\necho garbage > $device\nexit 1\n", "ended with 1"},
      {"exit 0\n", "there is no filesystem"},
  }));
  CAPTURE(script);
  const LoopDisk disk(kDiskBytes);
  Node node;
  node.put_mkfs(script);
  Agent agent(node, {&disk}, {.mkfs_directory = node.programs()});
  const std::string id = agent.new_volume(disk);
  const Result<void> failed = agent.try_format(id);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code() == StatusCode::kInternal);
  CHECK_THAT(failed.error().message(), Catch::Contains(sentence));
  check_not_formatted(agent, node, id, disk);
}

TEST_CASE("an mkfs that is no program of this machine is told") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  node.put_mkfs("");
  test::write_file(node.programs() + "/mkfs.ext4", "#!" + node.at("missing") + "\n");
  Agent agent(node, {&disk}, {.mkfs_directory = node.programs()});
  const std::string id = agent.new_volume(disk);
  const Result<void> failed = agent.try_format(id);
  REQUIRE_FALSE(failed);
  CHECK_THAT(failed.error().message(), Catch::Contains(node.programs() + "/mkfs.ext4"));
  check_not_formatted(agent, node, id, disk);
}

TEST_CASE("what the kernel does not mount is not formatted, and the volume is blank again") {
  const LoopDisk disk(kDiskBytes);
  Node node, other_node;
  node.put_mkfs(kRealMkfs + std::string(kNewFeature));
  Agent agent(node, {&disk}, {.mkfs_directory = node.programs()});
  const std::string id = agent.new_volume(disk);
  const Result<void> refused = agent.try_format(id);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("the kernel does not mount what mkfs.ext4 has made") &&
                 Catch::Contains("Invalid argument") && Catch::Contains("newer than the kernel") &&
                 !Catch::Contains("damaged"));
  CHECK(std::filesystem::is_empty(node.state()));
  CHECK(agent.is_formatted(id) == "false");
  CHECK(agent.mount(id, node.target("target")) == "FAILED_PRECONDITION");
  // A node that knows nothing of it.
  Agent other(other_node, {&disk});
  CHECK(other.format(id) == "OK");
  CHECK(other.mount(id, other_node.target("target")) == "OK");
}

// What an agent leaves that was killed while mkfs ran, which went on to its end.
std::string put_orphaned(Agent& agent, const Node& node, const LoopDisk& disk) {
  const std::string id = agent.new_volume(disk);
  const std::string uuid = "cccccccc-0000-4000-8000-000000000001";
  REQUIRE(FormatRecords(node.state()).add(id, uuid));
  put_filesystem(disk, uuid);
  return id;
}

TEST_CASE("a filesystem that was finished without the agent is what a repeated call asked for") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = put_orphaned(agent, node, disk);
  const std::string before = uuid_on(disk);
  CHECK(agent.is_formatted(id) == "true");
  CHECK(agent.format(id) == "OK");
  CHECK(uuid_on(disk) == before);
  const std::string target = node.target("target");
  CHECK(agent.mount(id, target) == "OK");
  CHECK(agent.unmount(id, target) == "OK");
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
  CHECK(uuid_on(disk) == before);
}

TEST_CASE("a filesystem that was finished without the agent is no success if no kernel mounts it") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = put_orphaned(agent, node, disk);
  REQUIRE(FormatRecords(node.state()).begin(id, id, ""));
  const bool is_new = GENERATE(false, true);
  if (is_new) run({"/usr/sbin/debugfs", "-w", "-R", "feature FEATURE_I31", disk.node() + "p1"});
  const std::string before = uuid_on(disk);
  const std::string code = is_new ? "FAILED_PRECONDITION" : "OK";
  CHECK(agent.format(id) == code);
  CHECK(agent.format(id) == code);
  CHECK(uuid_on(disk) == before);
  CHECK(agent.mount(id, node.target("target")) == code);
}

// The record is still there, of which the other agent cannot know.
TEST_CASE("what another node wrote on the volume meanwhile is kept") {
  const LoopDisk disk(kDiskBytes);
  Node node, other_node;
  Agent agent(node, {&disk});
  const std::string id = put_orphaned(agent, node, disk);
  Agent other(other_node, {&disk});
  const std::string target = other_node.target("target");
  REQUIRE(other.mount(id, target) == "OK");
  test::write_file(target + "/file", "content");
  REQUIRE(other.unmount(id, target) == "OK");
  CHECK(agent.is_formatted(id) == "true");
  static_cast<void>(agent.format(id));
  REQUIRE(agent.mount(id, node.target("again")) == "OK");
  CHECK(text_in(node.root() + "/again/file") == "content");
}

TEST_CASE("an xfs whose mkfs was cut short is none") {
  const LoopDisk disk(400 * kMebibyte);
  Node node;
  Agent agent(node, {&disk}, {.filesystem = "xfs"});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  constexpr uint64_t kInProgress = 126;
  REQUIRE(test::read_bytes(disk.node() + "p1", kInProgress, 1) == std::string(1, '\0'));
  test::write_bytes(disk.node() + "p1", kInProgress, "\1");
  const std::string target = node.target("target");
  CHECK(agent.is_formatted(id) == "false");
  CHECK(agent.mount(id, target) == "FAILED_PRECONDITION");
  CHECK(agent.format(id) == "OK");
  CHECK(agent.is_formatted(id) == "true");
  CHECK(agent.mount(id, target) == "OK");
}

TEST_CASE("a record says nothing of a filesystem that others made since") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = put_orphaned(agent, node, disk);
  put_filesystem(disk, "cccccccc-0000-4000-8000-000000000002");
  const std::string before = uuid_on(disk);
  CHECK(agent.is_formatted(id) == "true");
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
  CHECK(uuid_on(disk) == before);
  CHECK(agent.mount(id, node.target("target")) == "OK");
}

TEST_CASE("what others wrote to a volume is not formatted") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  const std::string partition = disk.node() + "p1";
  test::write_bytes(partition, 0, std::string("LUKS\xba\xbe\0\2", 8));
  CHECK(agent.is_formatted(id) == "true");
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
  CHECK(agent.mount(id, node.target("target")) == "FAILED_PRECONDITION");
  CHECK(agent.resize(id, 0) == "FAILED_PRECONDITION");
  CHECK(test::read_bytes(partition, 0, 4) == "LUKS");
}

TEST_CASE("what no signature tells of at an end of a volume keeps it from being formatted") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), partition = disk.node() + "p1";
  const uint64_t size = agent.service().stats(id)->total;
  const uint64_t place = GENERATE_COPY(uint64_t{0}, kMebibyte - 1, size - kMebibyte, size - 1);
  CAPTURE(place);
  test::write_bytes(partition, place, "x");
  const Result<void> refused = agent.try_format(id);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(),
             Catch::Contains("of no known kind, at byte " + std::to_string(place) + ";") &&
                 Catch::Contains("overwrite_unknown_data = true of the module volume"));
  CHECK(test::read_bytes(partition, place, 1) == "x");
  CHECK(Agent(node, {&disk}, {.overwrite_unknown_data = true}).format(id) == "OK");
}

TEST_CASE("what lies further within a volume is looked for by signatures alone") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), partition = disk.node() + "p1";
  test::write_bytes(partition, kMebibyte, "x");
  test::write_bytes(partition, agent.service().stats(id)->total - kMebibyte - 1, "x");
  CHECK(agent.format(id) == "OK");
}

TEST_CASE("what an mkfs of another agent left that failed is somebody's data") {
  const LoopDisk disk(kDiskBytes);
  Node node, other_node;
  node.put_mkfs("for device; do :; done\necho garbage > $device\nexit 1\n");
  Agent agent(node, {&disk}, {.mkfs_directory = node.programs()});
  Agent other(other_node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "INTERNAL");
  CHECK(other.format(id) == "FAILED_PRECONDITION");
  CHECK(Agent(node, {&disk}).format(id) == "OK");
  // What is written there later is none of that mkfs'.
  const FileDescriptor opened(::open((disk.node() + "p1").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(block::wipe_signatures(opened, id));
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
}

TEST_CASE("a filesystem that was made anew by others is not taken for the recorded one") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  REQUIRE(agent.format(id) == "OK");
  REQUIRE(agent.format(id) == "OK");
  put_filesystem(disk, "cccccccc-0000-4000-8000-000000000001");
  const std::string before = uuid_on(disk);
  CHECK(agent.format(id) == "FAILED_PRECONDITION");
  CHECK(uuid_on(disk) == before);
}

TEST_CASE("two callers who format the same volume at once make one filesystem") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  const SlowMkfs mkfs(node, kRealMkfs);
  Agent agent(node, {&disk}, {.mkfs_directory = node.programs()});
  // Another agent is kept away by the disk's lock alone.
  Agent other(node, {&disk}, {.mkfs_directory = node.programs()});
  const std::string id = agent.new_volume(disk);
  Agent& second_agent = GENERATE(true, false) ? agent : other;
  auto first = std::async(std::launch::async, [&] { return agent.format(id); });
  mkfs.await();
  CHECK(other.is_formatted(id) == "false");
  auto second = std::async(std::launch::async, [&] { return second_agent.format(id); });
  mkfs.let_go();
  CHECK(first.get() == "OK");
  CHECK(second.get() == "OK");
  CHECK(mkfs.runs() == "run\n");
  CHECK(agent.mount(id, node.target("target")) == "OK");
}

TEST_CASE("while a volume is formatted nobody mounts it") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  const SlowMkfs mkfs(node, kRealMkfs);
  Agent agent(node, {&disk}, {.mkfs_directory = node.programs()});
  Agent other(node, {&disk});
  const std::string id = agent.new_volume(disk);
  const std::string target = node.target("target");
  auto formatted = std::async(std::launch::async, [&] { return agent.format(id); });
  mkfs.await();
  // The same agent knows what runs; another one waits for the disk's lock.
  const Result<void> refused = agent.service().mount(id, target, {}, "second");
  Deadline over_soon;
  over_soon.time = Deadline::Clock::now() + std::chrono::milliseconds(20);
  const Result<void> waited = other.service().mount(id, target, over_soon, "third");
  mkfs.let_go();
  CHECK(formatted.get() == "OK");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kAborted);
  CHECK_THAT(refused.error().message(), Catch::Contains("test"));
  CHECK(outcome(waited) == "DEADLINE_EXCEEDED");
  CHECK(other.mount(id, target) == "OK");
}

TEST_CASE("a disk that is pulled out while it is formatted is gone afterwards") {
  LoopDisk disk(kDiskBytes);
  LoopDisk neighbour(kDiskBytes);
  Node node;
  const SlowMkfs mkfs(node, kRealMkfs);
  Agent agent(node, {&disk, &neighbour}, {.mkfs_directory = node.programs()});
  const std::string id = agent.new_volume(disk);
  const std::string other_id = agent.new_volume(neighbour);
  auto formatted = std::async(std::launch::async, [&] { return agent.format(id); });
  mkfs.await();
  disk.clear();
  mkfs.let_go();
  formatted.get();  // a loop device lives as long as somebody has it open
  CHECK(test::eventually(
      [&] { return outcome(agent.service().list(disk.number(), 0)) == "NOT_FOUND"; }));
  const std::string target = node.target("target");
  CHECK(once_readable([&] { return agent.is_formatted(id); }) == "NOT_FOUND");
  CHECK(once_readable([&] { return agent.format(id); }) == "NOT_FOUND");
  CHECK(once_readable([&] { return agent.mount(id, target); }) == "NOT_FOUND");
  CHECK(once_readable([&] { return agent.flush(id); }) == "NOT_FOUND");
  CHECK(agent.is_formatted(other_id) == "false");
}

}  // namespace
}  // namespace longshore::volume
