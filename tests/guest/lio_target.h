// An iSCSI target of a test's own: the kernel's LIO on loopback, made through configfs.
//
// Its disks are files, which it removes at its end. Only for a guest: targets are the whole
// kernel's.
//
// Owner: one thread. Every function throws std::runtime_error if the kernel does not do it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"
#include "tests/unit/iscsi/target_setup.h"

namespace longshore::test {

class LioTarget {
 public:
  static constexpr const char* kAddress = "127.0.0.1";
  static constexpr uint16_t kPort = 3260;
  static constexpr uint64_t kDiskBytes = uint64_t{64} << 20;

  // Lets in the node that /etc/iscsi/initiatorname.iscsi names.
  explicit LioTarget(const iscsi::TargetSetup& setup);
  LioTarget(const LioTarget&) = delete;
  LioTarget& operator=(const LioTarget&) = delete;
  ~LioTarget();

  const std::string& name() const { return name_; }

  void add_disk();
  void grow_disk(size_t place, uint64_t bytes) const;
  // A disabled target drops its connections and lets nobody in.
  void set_enabled(bool enabled) const;
  // Stops listening at the portal: connections to it are refused.
  void close_portal() const;

 private:
  std::string group() const;                // of portals: LIO's tpgt_1
  std::string access() const;               // of the node
  std::string backing(size_t place) const;  // of a disk
  void remove() noexcept;

  const TemporaryDirectory files_;
  const std::string name_;
  const std::string node_;
  size_t disks_ = 0;
};

}  // namespace longshore::test
