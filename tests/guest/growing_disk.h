// A SCSI disk of a test's own that can grow for good: a file, shown by the kernel's own target
// (LIO) to the kernel itself. (scsi_debug only says that it has grown, its store wraps round.)
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/temporary_directory.h"

namespace longshore::test {

class GrowingDisk {
 public:
  explicit GrowingDisk(int64_t bytes);
  GrowingDisk(const GrowingDisk&) = delete;
  GrowingDisk& operator=(const GrowingDisk&) = delete;
  ~GrowingDisk();

  const std::string& name() const { return name_; }  // "sda"
  uint32_t number() const { return number_; }        // what the disk group calls it

  // The kernel hears of it when the disk is scanned again.
  void grow(int64_t bytes);

 private:
  std::string file() const { return directory_ / "disk"; }

  TemporaryDirectory directory_;
  std::string name_;
  uint32_t number_ = 0;
};

}  // namespace longshore::test
