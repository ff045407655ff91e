// The service Controller of a made-up CSI driver: volumes are attached by being written down. Its
// messages are read and written by hand from CSI's field numbers, so that they are not our own
// messages which agree.
//
// Threads: any. Owner: the driver.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/csi_driver/attached_volumes.h"

namespace longshore::test {

class ControllerService {
 public:
  struct Answer {
    int code = 0;
    std::string text;  // the message where the code is 0
  };

  // `capabilities`: numbers of ControllerServiceCapability.RPC.Type. `secret`: "key=value", without
  // which no volume is attached or detached; empty: none is needed.
  ControllerService(const std::string& volumes, std::vector<uint64_t> capabilities,
                    std::string secret);

  // Of "ControllerPublishVolume"; UNIMPLEMENTED for others than it has. INTERNAL for a request that
  // is no message.
  Answer answer(std::string_view method, const std::string& request);

 private:
  Answer publish(const std::string& request);
  Answer unpublish(const std::string& request);
  Answer list(const std::string& request) const;
  bool has_secret(const std::vector<std::string>& entries) const;

  AttachedVolumes volumes_;
  const std::vector<uint64_t> capabilities_;
  const std::string secret_;
};

// What a request to attach or detach acts on: "volume node"; or why it is none.
std::string volume_and_node(const std::string& request);

}  // namespace longshore::test
