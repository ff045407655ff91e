#include "main/http_endpoint.h"

#include <string>
#include <utility>

#include "config/http_address.h"
#include "observe/status_site.h"

namespace longshore {

HttpEndpoint::HttpEndpoint(std::optional<endpoint::SocketFile> file,
                           std::unique_ptr<observe::HttpStatusServer> server)
    : file_(std::move(file)), server_(std::move(server)) {}

Result<std::unique_ptr<HttpEndpoint>> HttpEndpoint::open(
    const config::HttpSettings& settings, std::function<observe::StatusReport()> report,
    observe::Log& log) {
  const auto address = config::parse_http_address(settings.address);
  if (!address) return std::unique_ptr<HttpEndpoint>();
  observe::HttpPages pages = observe::status_site(std::move(report));
  std::optional<endpoint::SocketFile> file;
  Result<std::unique_ptr<observe::HttpStatusServer>> server =
      std::unique_ptr<observe::HttpStatusServer>();
  std::string where = settings.address;
  if (address->unix_path.empty()) {
    server = observe::HttpStatusServer::listen(address->host, address->port, std::move(pages), log);
    // With the port that it got, where it asked for any.
    if (server)
      where.replace(where.rfind(':') + 1, std::string::npos, std::to_string((*server)->port()));
  } else {
    endpoint::SocketFileOptions options;
    options.path = address->unix_path;
    Result<endpoint::SocketFile> opened = endpoint::SocketFile::listen(options);
    if (!opened) return std::move(opened).error();
    file.emplace(std::move(*opened));
    server =
        observe::HttpStatusServer::adopt_unix(file->release_descriptor(), std::move(pages), log);
  }
  if (!server) return std::move(server).error();
  log.info("listening", {{"endpoint", "http"}, {"address", where}});
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(file), std::move(*server)));
}

}  // namespace longshore
