// The worlds of the unit tests.
#include "tests/unit/smb/fake_world.h"
#include "tests/unit/smb/linux_world.h"

namespace longshore::smb {

std::vector<MakeWorld> smb_worlds() {
  return {[] { return std::make_unique<FakeWorld>(); },
          [] { return std::make_unique<LinuxWorld>(); }};
}

}  // namespace longshore::smb
