// Portals and targets in memory that keep the contract of IscsiBackend: for tests of what stands
// above, and run through the same suite as the real ones.
//
// Threads: any number at once; one lock.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "iscsi/iscsi_backend.h"

namespace longshore::iscsi {

// What a target expects, and what it answers with. Without `username` it lets anybody in.
struct FakeTarget {
  std::string username = {};
  std::string secret = {};
  std::string own_username = {};  // with its secret: what it proves in MUTUAL_CHAP
  std::string own_secret = {};
  std::vector<uint32_t> disks = {};
  std::string user = {};  // of one of its disks: a mount point
};

class IscsiBackendFake final : public IscsiBackend {
 public:
  // What a test sets up: a target that a portal offers, and a portal that answers no more.
  void put(const Target& target, const FakeTarget& properties);
  void set_answering(const Portal& portal, bool answers);
  // What uses one of its disks, or "".
  void set_user(const Target& target, const std::string& user);
  bool is_connected(const Target& target) const;

  Result<std::vector<Portal>> portals() override;
  Result<void> add_portal(const Portal& portal, const Deadline& deadline) override;
  Result<std::vector<std::string>> discover(const Portal& portal,
                                            const Deadline& deadline) override;
  Result<void> remove_portal(const Portal& portal, const Deadline& deadline) override;
  Result<void> connect(const Target& target, const Login& login, const Deadline& deadline) override;
  Result<void> disconnect(const Target& target, const Deadline& deadline) override;
  Result<std::vector<uint32_t>> disks(const Target& target, const Deadline& deadline) override;

 private:
  bool answers(const Portal& portal) const;

  mutable std::mutex mutex_;
  std::map<Target, FakeTarget> targets_;
  std::set<Portal> silent_;
  std::set<Portal> known_;
  std::set<Target> connected_;
};

}  // namespace longshore::iscsi
