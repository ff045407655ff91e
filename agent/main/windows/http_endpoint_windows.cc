#include "main/http_endpoint.h"

namespace longshore {

// The configuration takes no such address here.
Result<void> HttpEndpoint::listen_on_unix_socket(observe::HttpPages) {
  return Error(StatusCode::kUnimplemented, "listen on", parsed_.unix_path)
      .because("Windows has no Unix sockets for HTTP");
}

}  // namespace longshore
