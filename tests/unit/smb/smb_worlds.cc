// The worlds of the unit tests.
#include "tests/unit/smb/fake_world.h"
#if defined(_WIN32)
#include "tests/unit/smb/windows/windows_world.h"
#else
#include "tests/unit/smb/linux_world.h"
#endif

namespace longshore::smb {
namespace {

#if defined(_WIN32)
using SystemWorld = WindowsWorld;
#else
using SystemWorld = LinuxWorld;
#endif

}  // namespace

std::vector<MakeWorld> smb_worlds() {
  return {[] { return std::make_unique<FakeWorld>(); },
          [] { return std::make_unique<SystemWorld>(); }};
}

}  // namespace longshore::smb
