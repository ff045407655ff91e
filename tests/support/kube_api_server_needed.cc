// Linked into a test program that starts an API server: where its programs cannot be had, the
// program ends before its first test with exit code 77, which skips it.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "tests/support/kube_programs.h"

namespace longshore::test {
namespace {

class KubeApiServerNeeded final : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testRunStarting(const Catch::TestRunInfo&) override {
    try {
      kube_programs();
    } catch (const NoKubePrograms& exception) {
      std::printf("%s\n", exception.what());
      std::fflush(stdout);
      std::_Exit(77);
    }
  }
};

CATCH_REGISTER_LISTENER(KubeApiServerNeeded)

}  // namespace
}  // namespace longshore::test
