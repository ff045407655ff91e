// What a killed agent leaves behind, and that the repeated call makes it good.
#include <catch2/catch.hpp>

#include "tests/unit/smb/linux_node.h"

namespace longshore::smb {
namespace {

struct Crash {};  // thrown where the agent is to end

// Crashes at the n-th moment of `act`; false when there are not so many.
template <typename Act>
bool crashes_at(ShareMountsFake& kernel, int number, const Act& act) {
  int seen = 0;
  kernel.moment = [&](const std::string&) {
    if (++seen == number) throw Crash();
  };
  bool crashed = false;
  try {
    static_cast<void>(act());
  } catch (const Crash&) {
    crashed = true;
  }
  kernel.moment = [](const std::string&) {};
  return crashed;
}

TEST_CASE("after a crash while a share is mapped, the repeated call reaches its goal") {
  int moments = 0;
  for (bool crashed = true; crashed; ++moments) {
    CAPTURE(moments);
    LinuxNode node;
    node.world.make_remote_directory("a");
    crashed = crashes_at(node.kernel, moments + 1, [&] { return node.map("/a", node.local); });
    CHECK(outcome(node.map("/a", node.local)) == "OK");
    CHECK(node.world.leads_to(node.local, "a"));
    CHECK(node.kernel.mounted().size() == 1);
    CHECK(outcome(node.unmap("/a")) == "OK");
    CHECK(node.left_nothing());
  }
  CHECK(moments > 4);
}

TEST_CASE("after a crash while credentials change, the repeated call reaches its goal") {
  int moments = 0;
  for (bool crashed = true; crashed; ++moments) {
    CAPTURE(moments);
    LinuxNode node;
    REQUIRE(node.map("", node.local));
    node.world.set_password("another");
    crashed = crashes_at(node.kernel, moments + 1, [&] { return node.map("", node.local); });
    CHECK(node.world.leads_to(node.local, ""));
    CHECK(outcome(node.map("", node.local)) == "OK");
    CHECK(node.world.leads_to(node.local, ""));
    CHECK(node.kernel.mounted().size() == 1);
    CHECK(outcome(node.unmap("")) == "OK");
    CHECK(node.left_nothing());
  }
  CHECK(moments > 6);
}

TEST_CASE("after a crash while a mapping is taken away, the repeated call reaches its goal") {
  int moments = 0;
  for (bool crashed = true; crashed; ++moments) {
    CAPTURE(moments);
    LinuxNode node;
    REQUIRE(node.map("", node.local));
    crashed = crashes_at(node.kernel, moments + 1, [&] { return node.unmap(""); });
    CHECK(outcome(node.unmap("")) == "OK");
    CHECK(node.left_nothing());
    CHECK(node.world.is_absent(node.local));
  }
  CHECK(moments > 2);
}

}  // namespace
}  // namespace longshore::smb
