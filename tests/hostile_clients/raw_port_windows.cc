#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <vector>

#include "tests/hostile_clients/raw_bytes_windows.h"

namespace longshore::hostile_clients {
namespace {

using boost::asio::ip::tcp;

class RawPort final : public RawBytes {
 public:
  explicit RawPort(uint16_t number) {
    boost::system::error_code error;
    socket_.connect({boost::asio::ip::address_v4::loopback(), number}, error);
    if (!error) socket_.non_blocking(true, error);
    closed_ = static_cast<bool>(error);
  }

  size_t send(std::string_view bytes) override {
    boost::system::error_code error;
    const size_t size = socket_.write_some(boost::asio::buffer(bytes), error);
    judge(error);
    return size;
  }
  std::string receive() override {
    boost::system::error_code error;
    const size_t size = socket_.read_some(boost::asio::buffer(input_), error);
    judge(error);
    return {input_.data(), size};
  }
  bool wait_to_send(int patience) override { return wait(POLLOUT, patience); }
  void wait_to_receive(int patience) override { wait(POLLIN, patience); }
  bool closed() const override { return closed_; }

 private:
  void judge(const boost::system::error_code& error) {
    if (error && error != boost::asio::error::would_block) closed_ = true;
  }
  bool wait(short what, int patience) {
    WSAPOLLFD wanted{socket_.native_handle(), what, 0};
    return WSAPoll(&wanted, 1, patience) == 1;
  }

  boost::asio::io_context io_{1};
  tcp::socket socket_{io_};
  bool closed_ = false;
  std::vector<char> input_ = std::vector<char>(64 << 10);
};

}  // namespace

std::unique_ptr<RawBytes> open_raw_port(const std::string& number) {
  return std::make_unique<RawPort>(static_cast<uint16_t>(std::stoul(number)));
}

}  // namespace longshore::hostile_clients
