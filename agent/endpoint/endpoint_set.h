// The sockets that a configuration asks for, opened, changed and closed as it changes.
//
// One that cannot be opened, since a link, a file or somebody's socket is in its place, is one bad
// endpoint: it is reported and tried again, and the others serve. So is one whose socket somebody
// removes or replaces while it serves; those who are connected to it go on.
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
#include "endpoint/alarm.h"
#include "endpoint/endpoint.h"
#include "endpoint/retries.h"
#include "files/file_watch.h"
#include "loader/description.h"
#include "observe/status_report.h"

namespace longshore::endpoint {

// Every socket that `configuration` asks for: the control socket, one per csi-proxy endpoint of the
// modules, and those of `[endpoints.*]`. The error names a user or group that does not exist.
// `control_services`: what the control socket tells that it serves.
Result<std::vector<EndpointOptions>> wanted_endpoints(
    const config::Configuration& configuration,
    const std::vector<loader::CsiProxyEndpoint>& csi_proxy,
    const std::vector<std::string>& control_services = {});

class EndpointSet {
 public:
  // What an endpoint that cannot be opened is: one that is tried again, or the end of the change.
  enum class OnFailure { kGoOn, kGiveUp };

  // `alarm`: for the retries; null: one of the context's I/O thread.
  EndpointSet(EndpointContext context, ActivatedSockets activated,
              std::unique_ptr<Alarm> alarm = nullptr);

  // Those of csi-proxy's that were handed in and that none of `wanted` is: of a module that is
  // switched off, or of which it is not known what it serves. Clients are told so, and need not
  // wait for somebody who accepts.
  Result<std::vector<EndpointOptions>> unclaimed(const config::Configuration& configuration,
                                                 const std::vector<EndpointOptions>& wanted) const;

  // Opens what is new, and what could not be opened before. An error closes that again and changes
  // nothing.
  Result<void> prepare(std::vector<EndpointOptions> wanted, OnFailure on_failure);
  // Brings the rest to what was prepared: changed rights and services, endpoints that are gone.
  void commit();
  void roll_back();

  // Calls `done` when no client is left, or their time to go is over.
  void drain(std::function<void()> done);
  void close();

  // In the order of their paths, with those that do not listen.
  std::vector<observe::EndpointReport> list() const;

 private:
  using Endpoints = std::map<std::string, std::shared_ptr<Endpoint>>;  // by path
  struct Bad {
    EndpointOptions options;
    std::string reason;
  };
  using BadEndpoints = std::map<std::string, Bad>;  // by path

  Result<std::shared_ptr<Endpoint>> open(const EndpointOptions& options) const;
  void close_unwanted();
  // Notices from now on when the sockets that were made here are not in their places any more.
  void watch_places();
  void look_again();
  void find_lost();
  Result<void> serve(const EndpointOptions& options);
  // Those that were bad before, with the reasons that were told; and those that are now.
  void tell_of_bad(const BadEndpoints& told) const;
  void try_again();
  void tell_of(const Endpoint& listening) const;
  void warn_of_ignored_access() const;
  void warn_of_unclaimed() const;

  const EndpointContext context_;
  const ActivatedSockets activated_;  // kept as long as the agent lives
  Endpoints open_;
  BadEndpoints bad_;
  // What `prepare` has made of `wanted_`, as far as it is not open.
  Endpoints prepared_;
  BadEndpoints prepared_bad_;
  std::vector<EndpointOptions> wanted_;
  Retries retries_;
  const std::unique_ptr<files::FileWatch> places_;
  files::FileWatch::Paths watched_;
  bool is_changing_ = false;  // something is prepared
  bool is_ending_ = false;    // what is prepared is not committed any more
};

}  // namespace longshore::endpoint
