#include "main/http_endpoint.h"

#include <utility>

namespace longshore {

std::unique_ptr<HttpEndpoint> HttpEndpoint::make(const config::HttpSettings& settings,
                                                 Parts parts) {
  auto address = config::parse_http_address(settings.address);
  if (!address) return nullptr;
  return std::unique_ptr<HttpEndpoint>(
      new HttpEndpoint(settings, std::move(*address), std::move(parts)));
}

HttpEndpoint::HttpEndpoint(const config::HttpSettings& settings, config::HttpAddress parsed,
                           Parts parts)
    : address_(settings.address),
      metrics_path_(settings.metrics_path),
      parsed_(std::move(parsed)),
      parts_(std::move(parts)),
      retries_(endpoint::make_alarm(parts_.io), [this] { try_again(); }) {}

Result<void> HttpEndpoint::listen() {
  observe::HttpPages pages =
      observe::status_site(parts_.report, metrics_path_, parts_.metrics_report);
  auto listening = parsed_.unix_path.empty() ? listen_on_port(std::move(pages))
                                             : listen_on_unix_socket(std::move(pages));
  if (!listening) {
    reason_ = listening.error().message();
    parts_.controllers.own_port_is(reason_);
    return listening;
  }
  return {};
}

bool HttpEndpoint::answer() {
  if (const auto started = server_->start(); !started) {
    server_.reset();
    socket_file_.reset();
    reason_ = started.error().message();
    parts_.controllers.own_port_is(reason_);
    return false;
  }
  reason_.clear();
  parts_.controllers.own_port_is({});
  std::string where = address_;
  // With the port that it got, where it asked for any.
  if (const uint16_t port = server_->port(); port != 0) {
    where.replace(where.rfind(':') + 1, std::string::npos, std::to_string(port));
  }
  parts_.log.info("listening", {{"endpoint", "http"}, {"address", where}});
  return true;
}

Result<void> HttpEndpoint::listen_on_port(observe::HttpPages pages) {
  observe::HttpServerOptions options;
  options.page_timeout = HttpService::kPageTimeout;
  auto server = observe::HttpStatusServer::listen_late(
      parsed_.host, parsed_.port, parts_.controllers.before(std::move(pages)), parts_.log, options);
  if (!server) {
    return std::move(server).error().advise("choose another " + parts_.address_name +
                                            ", or leave it empty for no HTTP");
  }
  server_ = std::move(*server);
  return {};
}

void HttpEndpoint::start() {
  if (server_ && answer()) return;
  tell_of_trouble();
  retries_.begin();
}

void HttpEndpoint::try_again() {
  const std::string told = reason_;
  if (listen() && answer()) return;
  if (reason_ != told) tell_of_trouble();
  retries_.go_on();
}

void HttpEndpoint::tell_of_trouble() const {
  parts_.log.error("the endpoint does not serve; it is tried again",
                   {{"endpoint", "http"}, {"reason", reason_}});
}

std::optional<observe::EndpointReport> HttpEndpoint::trouble() const {
  if (server_) return std::nullopt;
  observe::EndpointReport report;
  report.name = "http";
  report.address = address_;
  report.is_own = true;
  report.reason = reason_;
  return report;
}

}  // namespace longshore
