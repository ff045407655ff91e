// longshore-modulehost as a process, spoken to by hand.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>

#include "longshore/child/v1.pb.h"
#include "supervise/frame_channel.h"
#include "supervise/handshake.h"
#include "supervise/linux/child_process.h"
#include "supervise/linux/pipe_transport_linux.h"
#include "tests/support/build_tree.h"

using namespace longshore;
using namespace longshore::supervise;

namespace {

struct Host {
  explicit Host(const std::string& image = longshore::test::built_module("echo")) {
    int to_child[2];
    int from_child[2];
    REQUIRE(pipe2(to_child, O_CLOEXEC) == 0);
    REQUIRE(pipe2(from_child, O_CLOEXEC) == 0);
    const FileDescriptor its_input(to_child[0]);
    const FileDescriptor its_output(from_child[1]);
    fcntl(to_child[1], F_SETFL, O_NONBLOCK);
    fcntl(from_child[0], F_SETFL, O_NONBLOCK);
    own = pipe_transport_of(FileDescriptor(from_child[0]), FileDescriptor(to_child[1])).value();
    const FileDescriptor file(open(image.c_str(), O_RDONLY | O_CLOEXEC));
    const FileDescriptor null(open("/dev/null", O_WRONLY | O_CLOEXEC));
    REQUIRE(file);
    auto started =
        ChildProcess::start({longshore::test::built_program("longshore-modulehost"), "echo",
                             its_input.get(), its_output.get(), file.get(), null.get()});
    REQUIRE(started);
    process.emplace(std::move(*started));
  }
  ~Host() {
    if (process) {
      process->kill();
      process->wait();
    }
  }

  // What it answers to a first frame, and how it ends if it does.
  std::optional<child::v1::Ready> greet(const child::v1::Hello& hello) {
    FrameChannel frames(std::move(own), {1 << 20});
    frames.send(FrameType::kHello, 0, hello);
    std::optional<child::v1::Ready> ready;
    CHECK(frames.serve([&](const Frame& frame) {
      if (frame.type == FrameType::kReady) ready = head_of<child::v1::Ready>(frame);
      return false;
    }));
    return ready;
  }

  // Waits for the end; nothing when it does not come.
  std::string wait() {
    pollfd wanted{process->descriptor(), POLLIN, 0};
    if (poll(&wanted, 1, 30'000) != 1) return {};
    ProcessEnd end = process->wait();
    process.reset();
    return end.words;
  }

  void say(std::string_view bytes) const {
    const std::string_view parts[] = {bytes};
    REQUIRE(own->write(parts) == bytes.size());
  }

  std::unique_ptr<PipeTransport> own;
  std::optional<ChildProcess> process;
};

}  // namespace

TEST_CASE("A module host of the same versions is ready, and ends when the agent is gone") {
  Host host;
  const auto ready = host.greet(with_own_versions<child::v1::Hello>());
  REQUIRE(ready);
  CHECK(ready->refusal() == "");
  CHECK(ready->protocol() == kProtocolVersion);
  CHECK(host.wait() == "exited with code 0");
}

TEST_CASE("Another version of protocol or ABI is refused with a sentence that says both") {
  Host host;
  auto hello = with_own_versions<child::v1::Hello>();
  std::string says;
  SECTION("the protocol") {
    hello.set_protocol(99);
    says = "the agent speaks version 99 of their protocol with ABI 0.";
  }
  SECTION("the ABI") {
    hello.set_abi_major(7);
    says = "of their protocol with ABI 7.";
  }
  const auto ready = host.greet(hello);
  REQUIRE(ready);
  INFO(ready->refusal());
  CHECK(ready->refusal().find(says) != std::string::npos);
  CHECK(ready->refusal().find("and the module host version 5 of their protocol") !=
        std::string::npos);
  CHECK(host.wait() == "exited with code 0");
}

TEST_CASE("An image that cannot be loaded is a refusal") {
  Host host("/proc/self/status");
  const auto ready = host.greet(with_own_versions<child::v1::Hello>());
  REQUIRE(ready);
  CHECK(ready->refusal().find("cannot load the module") != std::string::npos);
}

TEST_CASE("What cannot be given up is a refusal: the module never runs with more") {
  Host host;
  auto hello = with_own_versions<child::v1::Hello>();
  // Without the right to change users first: both limits of that are the system's.
  hello.mutable_restrictions()->set_files(uint64_t{1} << 60);
  const auto ready = host.greet(hello);
  REQUIRE(ready);
  CHECK(ready->refusal().find("cannot limit its descriptors to") != std::string::npos);
}

TEST_CASE("What is no greeting ends the process, and nothing of the module has run") {
  Host host;
  SECTION("garbage") { host.say(std::string(1000, '\xee')); }
  SECTION("a call") {
    const FrameHeader header = header_of({FrameType::kCall, 1});
    host.say({header.data(), header.size()});
  }
  SECTION("half a frame, and then nothing") {
    host.say("\x01");
    host.own.reset();
  }
  CHECK(host.wait() == "exited with code 0");
}

TEST_CASE("A peer of another version is told of by either side in the same words") {
  child::v1::Ready ready = with_own_versions<child::v1::Ready>();
  CHECK(check_versions(ready, "the module host", "the agent"));
  ready.set_protocol(kProtocolVersion + 1);
  const auto refused = check_versions(ready, "the module host", "the agent");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message() ==
        "cannot run the module in a process of its own: the module host speaks version 6 of their "
        "protocol with ABI 0.2, and the agent version 5 of their protocol with ABI 0.2; install "
        "both from one package, and restart the agent");
}
