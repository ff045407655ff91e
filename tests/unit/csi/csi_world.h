// longshore.host.v1.Csi behind a router, and somebody who listens in a driver's place.
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <catch2/catch.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "csi/csi_service.h"
#include "longshore/host/csi.pb.h"
#include "tests/support/host_service_world.h"
#include "tests/support/temporary_directory.h"

namespace longshore::csi {

using Local = boost::asio::local::stream_protocol;

struct CsiWorld {
  CsiWorld() { world.serve(service); }
  ~CsiWorld() {
    world.end_calls();
    service->stop();
  }

  static std::string request(const std::string& address, bool fresh = false,
                             const std::string& method = "csi.v1.Identity/Probe") {
    host::v1::CsiCallRequest request;
    request.set_address(address);
    request.set_method(method);
    request.set_fresh_connection(fresh);
    return request.SerializeAsString();
  }

  test::TemporaryDirectory folder;
  const std::string path = folder / "csi.sock";
  test::HostServiceWorld world;
  const std::shared_ptr<CsiService> service = CsiService::make().value();
};

// Another process that listens, and neither accepts nor answers.
struct SilentDriver {
  explicit SilentDriver(const std::string& path, int backlog = SOMAXCONN) : acceptor(io, Local()) {
    acceptor.bind(Local::endpoint(path));
    const pid_t other = ::fork();
    REQUIRE(other >= 0);
    if (other == 0) ::_exit(::listen(acceptor.native_handle(), backlog) == 0 ? 0 : 1);
    int status = -1;
    REQUIRE(::waitpid(other, &status, 0) == other);
    REQUIRE(status == 0);
  }
  size_t connections() {
    acceptor.non_blocking(true);
    size_t count = 0;
    for (;; ++count) {
      boost::system::error_code error;
      accepted.emplace_back(io);
      acceptor.accept(accepted.back(), error);
      if (error) return count;
    }
  }

  boost::asio::io_context io;
  Local::acceptor acceptor;
  std::vector<Local::socket> accepted;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace longshore::csi
