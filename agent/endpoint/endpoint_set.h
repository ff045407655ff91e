// The sockets that a configuration asks for, opened, changed and closed as it changes.
//
// Threads: the I/O thread. Owner: the agent.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.h"
#include "endpoint/activated_sockets.h"
#include "endpoint/endpoint.h"
#include "loader/description.h"
#include "observe/status_report.h"

namespace longshore::endpoint {

// Every socket that `configuration` asks for: the control socket, one per csi-proxy endpoint of the
// modules, and those of `[endpoints.*]`. The error names a user or group that does not exist.
Result<std::vector<EndpointOptions>> wanted_endpoints(
    const config::Configuration& configuration,
    const std::vector<loader::CsiProxyEndpoint>& csi_proxy);

class EndpointSet {
 public:
  EndpointSet(EndpointContext context, const std::vector<ActivatedSocket>& activated);

  // Opens what is new. An error closes that again and changes nothing.
  Result<void> prepare(std::vector<EndpointOptions> wanted);
  // Brings the rest to what was prepared: changed rights and services, endpoints that are gone.
  void commit();
  void roll_back();

  // Calls `done` when no client is left, or their time to go is over.
  void drain(std::function<void()> done);
  void close();

  std::vector<observe::EndpointReport> list() const;

 private:
  using Endpoints = std::map<std::string, std::shared_ptr<Endpoint>>;  // by path

  Result<std::shared_ptr<Endpoint>> open(const EndpointOptions& options) const;
  void warn_of_ignored_access() const;

  const EndpointContext context_;
  // Kept as long as the agent lives: an endpoint that a reload takes away may come back with
  // another.
  std::map<std::string, SocketFile> activated_;  // by path
  Endpoints open_;
  Endpoints prepared_;  // the new ones of `wanted_`
  std::vector<EndpointOptions> wanted_;
};

}  // namespace longshore::endpoint
