#include <utility>

#include "endpoint/linux/socket_file.h"
#include "main/http_endpoint.h"

namespace longshore {

Result<void> HttpEndpoint::listen_on_unix_socket(observe::HttpPages pages) {
  endpoint::ListenerOptions options;
  options.path = parsed_.unix_path;
  Result<endpoint::SocketFile> opened = endpoint::SocketFile::listen(options);
  if (!opened) return std::move(opened).error();
  auto server = observe::HttpStatusServer::adopt_unix(opened->release_descriptor(),
                                                      std::move(pages), parts_.log);
  if (!server) return std::move(server).error();
  socket_file_ = std::make_shared<endpoint::SocketFile>(std::move(*opened));
  server_ = std::move(*server);
  return {};
}

}  // namespace longshore
