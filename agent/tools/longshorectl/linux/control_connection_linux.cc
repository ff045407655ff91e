#include <boost/asio/local/stream_protocol.hpp>
#include <utility>

#include "rpc/asio_transport.h"
#include "tools/longshorectl/control_connection.h"
#include "tools/longshorectl/socket_diagnosis.h"

namespace longshore::ctl {

Result<std::unique_ptr<rpc::Transport>> open_transport(boost::asio::io_context& context,
                                                       const std::string& socket) {
  using Local = boost::asio::local::stream_protocol;
  // Longer paths do not fit into an address; Asio says so by an exception.
  if (socket.size() > 107) {
    return not_reachable(socket, make_error_code(boost::system::errc::filename_too_long));
  }
  Local::socket stream(context);
  boost::system::error_code error;
  stream.connect(Local::endpoint(socket), error);
  if (error) return not_reachable(socket, error);
  return rpc::make_transport(std::move(stream));
}

}  // namespace longshore::ctl
