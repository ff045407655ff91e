// Linked into a test program that needs loop devices: where none can be made, the program ends
// before its first test with exit code 77, which skips it. Name it before contained.cc, whose needs
// are greater and which fails.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/support/loop_disk.h"

namespace longshore::test {
namespace {

class LoopDevicesNeeded final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    try {
      const LoopDisk probe(1 << 20);
    } catch (const std::exception& exception) {
      std::printf("these tests need loop devices: %s\n", exception.what());
      std::fflush(stdout);
      std::_Exit(77);
    }
  }
};

CATCH_REGISTER_LISTENER(LoopDevicesNeeded)

}  // namespace
}  // namespace longshore::test
