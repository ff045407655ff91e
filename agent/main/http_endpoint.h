// `[agent.http]`: where the agent tells about itself to browsers, probes and Prometheus.
//
// Off unless the configuration names an address: a port that nobody asked for would be a surprise
// on a node. Threads: the owner's; the report is asked for on the server's own. Owner: the agent.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "config/settings.h"
#include "endpoint/socket_file.h"
#include "longshore/result.hpp"
#include "observe/http_status_server.h"
#include "observe/log.h"
#include "observe/status_report.h"

namespace longshore {

class HttpEndpoint {
 public:
  // Listens; null where the configuration asks for nothing.
  static Result<std::unique_ptr<HttpEndpoint>> open(const config::HttpSettings& settings,
                                                    std::function<observe::StatusReport()> report,
                                                    observe::Log& log);

  // Begins to answer. Its end ends all connections, once a report that is under way is made.
  void start() { server_->start(); }

 private:
  HttpEndpoint(std::optional<endpoint::SocketFile> file,
               std::unique_ptr<observe::HttpStatusServer> server);

  const std::optional<endpoint::SocketFile> file_;  // of a Unix socket
  const std::unique_ptr<observe::HttpStatusServer> server_;
};

}  // namespace longshore
