#include "tests/demo/demo_disk.h"

#include <iostream>
#include <stdexcept>

#include "tests/demo/leftovers.h"
#include "tests/support/capability.h"

namespace longshore::demo {
namespace {

// Whether ext4 can grow here; where there can be no disk at all it throws.
bool look_what_is_allowed() {
  if (!test::has_capability(CAP_SYS_ADMIN)) {
    throw std::runtime_error("partitions and mounts need root (CAP_SYS_ADMIN)");
  }
  return test::has_capability(CAP_SYS_RESOURCE);
}

}  // namespace

DemoDisk::DemoDisk() : grows_ext4_(look_what_is_allowed()), disk_(kBytes) {}

DemoDisk::~DemoDisk() {
  if (const auto unmounted = unmount_all(); !unmounted) {
    std::cerr << "longshore-demo: " << unmounted.error().message() << '\n';
  }
}

std::string DemoDisk::description() const {
  return "The disk is " + disk_.node() + ", a file of 512 MiB; it gets " +
         (grows_ext4_ ? "ext4." : "xfs, as ext4 may grow only with CAP_SYS_RESOURCE.");
}

std::string DemoDisk::configuration() const {
  const std::string names = "settings.disk_names = [\"" + disk_.name() + "\"]\n";
  return "[modules.disk]\n" + names + "\n[modules.volume]\n" + names + "settings.filesystem = \"" +
         (grows_ext4_ ? "ext4" : "xfs") + "\"\n";
}

}  // namespace longshore::demo
