// What lies in the way below mappings_directory, and what an error there must not lead to.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/unit/smb/linux_node.h"

namespace longshore::smb {
namespace {

namespace fs = std::filesystem;

// Only so many further descriptors can be opened for as long as it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(int spare) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const FileDescriptor next(::open("/", O_PATH | O_CLOEXEC));
    const rlimit few{static_cast<rlim_t>(next.get() + spare), before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// Whatever a crash has left is cleared away by unmap(), with a map() before it or without.
void check_recovery(LinuxNode& node) {
  if (GENERATE(false, true)) {
    REQUIRE(node.map("", node.local));
    CHECK(node.kernel.mounted().size() == 1);
    CHECK(node.world.leads_to(node.local, ""));
  }
  CHECK(outcome(node.unmap("")) == "OK");
  CHECK(node.left_nothing());
}

MappingDirectory directory_of(const LinuxNode& node, const std::string& mappings) {
  return {*support::PosixPath::parse(mappings, "use"),
          *RemotePath::parse(node.world.share(), "map")};
}

TEST_CASE("an error of the node takes no share away from its users") {
  LinuxNode node;
  node.world.make_remote_directory("a");
  node.world.make_remote_directory("b");
  // In whatever order they are looked at, some come after the one that is removed.
  for (const char* name : {"b1", "b2", "b3"}) REQUIRE(node.map("/b", node.world.local(name)));
  REQUIRE(node.map("/a", node.local));
  REQUIRE(node.map("/b", node.world.local("other")));
  std::string answer;
  for (int spare = 0; answer != "OK" && spare < 20; ++spare) {
    {
      const FewDescriptors few(spare);
      answer = outcome(node.unmap("/a"));
    }
    CAPTURE(spare);
    CHECK((answer == "OK" || answer == "RESOURCE_EXHAUSTED"));
    CHECK(node.world.leads_to(node.local, "a") == (answer != "OK"));
    CHECK(node.world.leads_to(node.world.local("other"), "b"));
    if (spare == 0) CHECK(answer == "RESOURCE_EXHAUSTED");
  }
  CHECK(answer == "OK");
  CHECK(node.world.leads_to(node.world.local("other"), "b"));
  CHECK(outcome(node.unmap("/b")) == "OK");
  for (const char* name : {"b1", "b2", "b3"}) CHECK(node.world.is_absent(node.world.local(name)));
  CHECK(node.left_nothing());
}

TEST_CASE("a link where nobody may look counts as in use") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  REQUIRE(directory_of(node, node.world.mappings()).record_link("/elsewhere/volume"));
  CHECK(outcome(node.unmap("")) == "OK");
  CHECK(node.world.is_absent(node.local));
  CHECK(node.world.is_mapped());
}

TEST_CASE("a link whose directory is gone or is none counts for nothing") {
  LinuxNode node;
  fs::create_directory(node.world.local("pod"));
  REQUIRE(node.map("", node.world.local("pod/volume")));
  fs::remove_all(node.world.local("pod"));
  if (GENERATE(false, true)) test::write_file(node.world.local("pod"), "");
  CHECK(outcome(node.unmap("")) == "OK");
  CHECK(node.left_nothing());
}

TEST_CASE("a mappings directory behind a link is refused, with the path that would do") {
  LinuxNode node;
  fs::create_directory(node.world.local("real"));
  fs::create_directory_symlink("real", node.world.local("link"));
  const auto place = directory_of(node, node.world.local("link/mappings")).add_place();
  REQUIRE_FALSE(place);
  CHECK(place.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(place.error().message(), Catch::Contains(node.world.local("real/mappings")));
  CHECK(directory_of(node, node.world.local("real/mappings")).add_place());
}

TEST_CASE("a link that leads nowhere in the way of a share ends with an error") {
  LinuxNode node;
  fs::create_directory(node.world.mappings());
  fs::permissions(node.world.mappings(), fs::perms::owner_all);
  fs::create_directory_symlink("nowhere", node.world.mappings() + "/files");
  CHECK(outcome(node.map("", node.local)) == "NOT_FOUND");
  CHECK(node.kernel.mounted().empty());
}

TEST_CASE("what a crash leaves of turning to another mount is cleared away") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  fs::create_symlink("7", node.mapping_directory() + "/current.new");
  node.world.set_password("another");
  REQUIRE(node.map("", node.local));
  CHECK(node.world.leads_to(node.local, ""));
  fs::create_symlink("7", node.mapping_directory() + "/current.new");
  CHECK(outcome(node.unmap("")) == "OK");
  CHECK(node.left_nothing());
}

TEST_CASE("directories and links that a crash left without a mount are no obstacle") {
  const auto left = GENERATE(values<std::vector<std::string>>({
      {},
      {"1"},
      {"1", "current"},
      {"1", "current.new"},
      {"1", "links"},
      {"1", "2", "current", "current.new", "links"},
      {"links"},
  }));
  LinuxNode node;
  fs::create_directories(node.mapping_directory());
  fs::permissions(node.world.mappings(), fs::perms::owner_all);
  for (const std::string& name : left) {
    const fs::path path = node.mapping_directory() + "/" + name;
    if (name.starts_with("current")) {
      fs::create_symlink("1", path);
    } else {
      fs::create_directory(path);
    }
  }
  CAPTURE(left);
  check_recovery(node);
}

TEST_CASE("mounts that a crash left without the link to them are cleared away") {
  LinuxNode node;
  REQUIRE(node.map("", node.local));
  fs::remove(node.mapping_directory() + "/current");
  check_recovery(node);
}

TEST_CASE("a link's text means a remote path, and other texts mean none") {
  const auto mappings = support::PosixPath::parse("/run/longshore-smb", "use");
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"/run/longshore-smb/files/share/current", "//files/share"},
      {"/run/longshore-smb/files/my share/current/", "//files/my share"},
      {"/run/longshore-smb/files/share/current/Some/Dir", "//files/share/Some/Dir"},
      {"/run/longshore-smb/files/share/1", "none"},
      {"/run/longshore-smb/files/share", "none"},
      {"/run/longshore-smb", "none"},
      {"/run/longshore-smb-2/files/share/current", "none"},
      {"//files/share/current", "none"},
      {"\\\\files\\share", "none"},
      {"", "none"},
  }));
  CAPTURE(text);
  CHECK(MappingDirectory::remote_path_in(text, *mappings).value_or("none") == expected);
}

}  // namespace
}  // namespace longshore::smb
