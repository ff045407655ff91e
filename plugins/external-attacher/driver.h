// The CSI driver, as the attacher calls it.
//
// Threads: any, but those that completions run on. Owner: the attacher.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "csi/v1.pb.h"
#include "driver_capabilities.h"
#include "longshore/awaited_calls.hpp"
#include "longshore/host/csi.pb.h"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"
#include "published_volumes.h"

namespace longshore::external_attacher {

class Driver {
 public:
  struct Identity {
    std::string name;
    DriverCapabilities capabilities;
  };

  // `timeout`: of each call.
  Driver(AwaitedCalls& calls, std::string address, std::chrono::nanoseconds timeout)
      : calls_(calls), address_(std::move(address)), timeout_(timeout) {}

  // UNAVAILABLE: it is not ready. FAILED_PRECONDITION: it has no name.
  Result<Identity> identify();

  // The secrets in the request are wiped.
  Result<csi::v1::ControllerPublishVolumeResponse> publish(
      csi::v1::ControllerPublishVolumeRequest request) {
    return call_with_secrets<csi::v1::ControllerPublishVolumeResponse>(
        "Controller/ControllerPublishVolume", request);
  }
  Result<csi::v1::ControllerUnpublishVolumeResponse> unpublish(
      csi::v1::ControllerUnpublishVolumeRequest request) {
    return call_with_secrets<csi::v1::ControllerUnpublishVolumeResponse>(
        "Controller/ControllerUnpublishVolume", request);
  }
  // All pages, in the time of one call; `max_entries` of a page, 0: the driver's choice.
  Result<PublishedVolumes> list_volumes(int max_entries);

 private:
  template <typename Response, typename Request>
  Result<Response> call(const std::string& method, const Request& message,
                        std::chrono::nanoseconds timeout) {
    host::v1::CsiCallRequest request;
    request.set_address(address_);
    request.set_method("csi.v1." + method);
    request.set_request(message.SerializeAsString());
    auto answer =
        calls_.call<host::v1::CsiCallResponse>("longshore.host.v1.Csi/Call", request, timeout);
    wipe(*request.mutable_request());
    if (!answer) return std::move(answer).error();
    Response response;
    if (!response.ParseFromString(answer->response())) {
      return Error(StatusCode::kInternal, "read the driver's answer to", "csi.v1." + method);
    }
    return response;
  }

  template <typename Response, typename Request>
  Result<Response> call_with_secrets(const std::string& method, Request& request) {
    auto answer = call<Response>(method, request, timeout_);
    for (auto& secret : *request.mutable_secrets()) wipe(secret.second);
    return answer;
  }

  AwaitedCalls& calls_;
  const std::string address_;
  const std::chrono::nanoseconds timeout_;
};

}  // namespace longshore::external_attacher
