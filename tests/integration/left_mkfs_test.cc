// What becomes of an mkfs whose agent was killed.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/disk_node.h"
#include "tests/support/mortal_agent.h"
#include "tests/support/require.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

// A stand-in for mkfs.ext4 that says when it begins and waits until it may go on.
class HeldMkfs {
 public:
  HeldMkfs() {
    const std::string program = directory() + "/mkfs.ext4";
    write_file(program, "#!/bin/sh\necho > " + fifo("begun") + "\nread line < " + fifo("go") +
                            " || exit 1\nexec /usr/sbin/mkfs.ext4 \"$@\"\n");
    require(::chmod(program.c_str(), 0755) == 0, "cannot make a program");
  }

  std::string directory() const { return directory_.path(); }

  // Whether one has begun since this was last asked; waits for it as long as may be.
  bool has_begun(int patience_milliseconds) const {
    pollfd wanted{begun_.get(), POLLIN, 0};
    char line = 0;
    return ::poll(&wanted, 1, patience_milliseconds) == 1 && ::read(begun_.get(), &line, 1) == 1;
  }
  void let_go_on() const { require(::write(go_.get(), "\n", 1) == 1, "cannot let mkfs go on"); }

 private:
  std::string fifo(const std::string& name) const { return directory_ / name; }
  // Open at both ends, so that neither side waits for the other's opening.
  FileDescriptor make_fifo(const std::string& name) const {
    require(::mkfifo(fifo(name).c_str(), 0600) == 0, "cannot make a fifo");
    return FileDescriptor(::open(fifo(name).c_str(), O_RDWR | O_CLOEXEC));
  }

  const TemporaryDirectory directory_;
  const FileDescriptor begun_ = make_fifo("begun"), go_ = make_fifo("go");
};

}  // namespace

TEST_CASE("A repeated FormatVolume waits for the mkfs that a killed agent left") {
  const HeldMkfs mkfs;
  DiskNode node({.bytes = 48 * kMebibyte, .mkfs_directory = mkfs.directory()});
  MortalAgent agent(node);
  std::string id;
  {
    DiskClient client(node);
    REQUIRE(client.partition(node.disk().number())->code() == StatusCode::kOk);
    id = ids_in(client.list(node.disk().number())).at(0);
    const auto cut_short =
        client.volumes().start("v1.Volume/FormatVolume", WireWriter().text(1, id));
    client.is_formatted(id);  // sends it as well
    REQUIRE(mkfs.has_begun(60'000));
    agent.kill_and_start();
    REQUIRE(client.volumes().run_until([&] { return cut_short->finished(); }));
    CHECK(cut_short->code() == StatusCode::kUnavailable);
  }
  DiskClient client(node);
  const auto repeated = client.volumes().start("v1.Volume/FormatVolume", WireWriter().text(1, id));
  CHECK(client.is_formatted(id)->messages.at(0) == "");
  CHECK_FALSE(mkfs.has_begun(500));
  CHECK_FALSE(repeated->finished());
  mkfs.let_go_on();
  REQUIRE(client.volumes().run_until([&] { return repeated->finished(); }));
  CHECK(repeated->text() == "");
  CHECK_FALSE(mkfs.has_begun(0));  // what the first made is what was asked for
  CHECK(client.is_formatted(id)->messages.at(0) == WireWriter().number(1, 1).bytes());
  const std::string target = node.make_target("target");
  CHECK(client.mount(id, target)->code() == StatusCode::kOk);
  CHECK(client.unmount(id, target)->code() == StatusCode::kOk);
  CHECK(agent.stop() == 0);
}
