// Disks of which sysfs tells what loop disks never are: made up, with the disk's real content.
#include <fstream>
#include <iterator>

#include "tests/unit/volume/disk_world.h"

namespace longshore::volume {
namespace {

using test::LoopDisk;

// A tree like sysfs's with the disk and the partitions that the kernel has of it now.
class Seen {
 public:
  Seen(const Node& node, const LoopDisk& disk)
      : root_(node.at("sys")), name_(disk.name()), there_("/sys/block/" + name_) {
    std::filesystem::create_directories(root_ / "dev/block");
    put_device("");
    for (const char* name : {"diskseq", "ro"}) copy(name);
    std::filesystem::create_symlink("anywhere", here("bdi"));
    if (!std::filesystem::exists(there_ / partition())) return;
    put_device(partition() + "/");
    for (const char* name : {"partition", "start"}) copy(partition() + "/" + name);
  }

  std::string root() const { return root_; }
  std::string partition() const { return name_ + "p1"; }

  void put(const std::string& name, const std::string& value) const {
    std::filesystem::create_directories(here(name).parent_path());
    test::write_file(here(name), value);
  }
  // dm-0 is made of the disk ("") or of its partition.
  void put_holder(const std::string& below) const {
    std::filesystem::create_directories(here(below) / "holders/dm-0");
  }

 private:
  std::filesystem::path here(const std::string& name) const {
    return root_ / "block" / name_ / name;
  }
  void copy(const std::string& name) const {
    std::ifstream attribute(there_ / name);
    put(name, {std::istreambuf_iterator<char>(attribute), {}});
  }
  void put_device(const std::string& below) const {
    for (const char* name : {"size", "dev"}) copy(below + name);
    std::string number;
    std::ifstream(here(below + "dev")) >> number;
    const auto directory = below.empty() ? here("").parent_path() : here(below).parent_path();
    std::filesystem::create_directory_symlink(directory, root_ / "dev/block" / number);
  }

  const std::filesystem::path root_;
  const std::string name_;
  const std::filesystem::path there_;
};

TEST_CASE("what dm is made of is no volume") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk);
  const Seen seen(node, disk);
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  REQUIRE(seeing.ids(disk) == Ids{id});
  seen.put_holder(GENERATE(true, false) ? "" : seen.partition());
  CHECK(seeing.ids(disk).empty());
  CHECK(seeing.format(id) == "NOT_FOUND");
  CHECK(agent.is_formatted(id) == "false");
}

TEST_CASE("a disk that cannot be read for the moment is not said to have no volumes") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  Agent agent(node, {&disk});
  const std::string id = agent.new_volume(disk), target = node.target("target");
  REQUIRE(agent.format(id) == "OK");
  REQUIRE(agent.mount(id, target) == "OK");
  const Seen seen(node, disk);
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  REQUIRE(seeing.id_at(target) == id);
  REQUIRE(seeing.is_formatted("PARTUUID=1") == "NOT_FOUND");
  REQUIRE(seeing.unmount("PARTUUID=1", target) == "FAILED_PRECONDITION");

  seen.put("device/state", "transport-offline\n");
  const Result<Ids> listed = seeing.service().list(disk.number(), 0);
  REQUIRE_FALSE(listed);
  CHECK(listed.error().code() == StatusCode::kUnavailable);
  const Result<bool> formatted = seeing.service().is_formatted(id);
  REQUIRE_FALSE(formatted);
  CHECK(formatted.error().code() == StatusCode::kUnavailable);
  CHECK_THAT(formatted.error().message(), Catch::Contains(disk.node()));
  CHECK(outcome(seeing.service().list(disk.number() + 1000, 0)) == "OK");

  seen.put("device/state", "running\n");
  CHECK(seeing.is_formatted(id) == "true");
  // Of a mount nobody can say whose it is while the disk is away, and it must be let go.
  seen.put("device/state", "blocked\n");
  CHECK(seeing.unmount("PARTUUID=1", target) == "OK");
  CHECK(agent.id_at(target) == "FAILED_PRECONDITION");
}

TEST_CASE("a disk on which the kernel allows no partitions gets no table") {
  const LoopDisk disk(kDiskBytes);
  Node node;
  const Seen seen(node, disk);
  seen.put("ext_range", "1\n");
  Agent seeing(node, {&disk}, {.sysfs_root = seen.root()});
  const Result<void> refused = seeing.try_partition(disk);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(refused.error().message(), Catch::Contains("allows no partitions"));
  CHECK((test::read_bytes(disk.node(), 0, 4096) == std::string(4096, '\0')));
}

}  // namespace
}  // namespace longshore::volume
