#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "tests/bench/limit/limit_stream.h"

namespace longshore::bench {
namespace {

using Protocol = boost::asio::local::stream_protocol;
using OnClient = std::function<void(LimitStream)>;

void accept(const std::shared_ptr<Protocol::acceptor>& acceptor, OnClient on_client) {
  acceptor->async_accept(
      [acceptor, on_client = std::move(on_client)](const auto& error, Protocol::socket socket) {
        if (!error) on_client(std::move(socket));
        accept(acceptor, on_client);
      });
}

}  // namespace

void listen_at(boost::asio::io_context& io, const std::string& name, OnClient on_client) {
  unlink(name.c_str());
  accept(std::make_shared<Protocol::acceptor>(io, Protocol::endpoint(name)), std::move(on_client));
}

bool has_path(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

}  // namespace longshore::bench
