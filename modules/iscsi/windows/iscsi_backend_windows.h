// The iscsi group on Windows: its iSCSI initiator, asked on threads of its own, so that a call ends
// with its deadline whatever a portal or target does. What was begun runs to its end.
//
// Threads: any number at once. Owner: outlives its calls. On destruction it waits for what the
// initiator has not answered.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "iscsi/iscsi_backend.h"
#include "iscsi/windows/initiator.h"
#include "support/abandonable_calls.h"

namespace longshore::iscsi {

class IscsiBackendWindows final : public IscsiBackend {
 public:
  explicit IscsiBackendWindows(std::shared_ptr<InitiatorLibrary> library)
      : library_(std::move(library)) {}

  Result<std::vector<Portal>> portals() override;
  Result<void> add_portal(const Portal& portal, const Deadline& deadline) override;
  Result<std::vector<std::string>> discover(const Portal& portal,
                                            const Deadline& deadline) override;
  Result<void> remove_portal(const Portal& portal, const Deadline& deadline) override;
  Result<void> connect(const Target& target, const Login& login, const Deadline& deadline) override;
  Result<void> disconnect(const Target& target, const Deadline& deadline) override;
  Result<std::vector<uint32_t>> disks(const Target& target, const Deadline& deadline) override;

  // Windows keeps it, also when the node starts again.
  bool keeps_target_secret() const override { return true; }
  Result<void> keep_target_secret(const support::Secret& secret) override;

 private:
  // `question` owns what it needs. One under a key at a time.
  template <typename T>
  Result<T> ask(const std::string& key, const InitiatorPurpose& purpose, const Deadline& deadline,
                std::function<Result<T>(const Initiator&)> question);

  const std::shared_ptr<InitiatorLibrary> library_;
  support::AbandonableCalls<Result<void>> calls_{32};
};

}  // namespace longshore::iscsi
