// `[agent.http]`: where the agent tells about itself to browsers, probes and Prometheus.
//
// Off unless the configuration names an address: a port that nobody asked for would be a surprise
// on a node. Where it cannot listen, or has no thread, it tries again, as other endpoints do.
//
// A port may be shared with controllers' pages, which come first: HttpService knows them.
//
// Threads: the I/O thread, or the first while there is none; the report is asked for on the
// server's own. Its end is another's, after `stop_trying`: it waits for a report that is under way,
// which may need the I/O thread. Owner: the agent.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/http_address.h"
#include "config/settings.h"
#include "endpoint/retries.h"
#include "longshore/result.hpp"
#include "main/http_service.h"
#include "observe/http_status_server.h"
#include "observe/log.h"
#include "observe/status_report.h"
#include "observe/status_site.h"

namespace longshore {

class HttpEndpoint {
 public:
  struct Parts {
    boost::asio::io_context& io;
    observe::StatusSource report;
    observe::StatusSource metrics_report;  // see status_site
    HttpService& controllers;
    std::string address_name;  // what texts call the address
    observe::Log& log;
  };

  // Null where the configuration asks for nothing.
  static std::unique_ptr<HttpEndpoint> make(const config::HttpSettings& settings, Parts parts);

  Result<void> listen();
  // Begins to answer, once it listens; until then that is tried.
  void start();
  void stop_trying() { retries_.stop(); }

  // What it is while it does not listen.
  std::optional<observe::EndpointReport> trouble() const;

 private:
  HttpEndpoint(const config::HttpSettings& settings, config::HttpAddress parsed, Parts parts);

  Result<void> listen_on_unix_socket(observe::HttpPages pages);
  Result<void> listen_on_port(observe::HttpPages pages);
  // Begins to answer on what it listens on, or lets go of that.
  bool answer();
  void try_again();
  void tell_of_trouble() const;

  const std::string address_;  // as the configuration has it
  const std::string metrics_path_;
  const config::HttpAddress parsed_;
  const Parts parts_;
  std::string reason_;                                 // why it does not listen
  std::shared_ptr<void> socket_file_;                  // of a Unix socket
  std::unique_ptr<observe::HttpStatusServer> server_;  // null: it does not listen
  endpoint::Retries retries_;
};

}  // namespace longshore
