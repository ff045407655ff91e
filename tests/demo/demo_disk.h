// The disk whose life is shown: a sparse file in the demonstration's folder behind a loop device.
#pragma once

#include <cstdint>
#include <string>

#include "tests/support/loop_disk.h"

namespace longshore::demo {

// Owner: the demonstration, which ends the agent first. Its end unmounts what is mounted of it and
// takes it away. Threads: one at a time.
class DemoDisk {
 public:
  static constexpr uint64_t kBytes = uint64_t{512} << 20;
  static constexpr uint64_t kLaterBytes = uint64_t{1} << 30;

  // Its file is made among the temporary files. Throws std::runtime_error where there can be no
  // such disk, saying why.
  DemoDisk();
  DemoDisk(const DemoDisk&) = delete;
  DemoDisk& operator=(const DemoDisk&) = delete;
  ~DemoDisk();

  uint32_t number() const { return disk_.number(); }
  void grow() { disk_.grow(kLaterBytes); }

  // One line for people: which device, which filesystem and why.
  std::string description() const;
  // What the agent has to know of it, as TOML.
  std::string configuration() const;

 private:
  const bool grows_ext4_;
  test::LoopDisk disk_;
};

}  // namespace longshore::demo
