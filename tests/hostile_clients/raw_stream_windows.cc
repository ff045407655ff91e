#include "tests/hostile_clients/raw_bytes_windows.h"
#include "tests/hostile_clients/raw_stream.h"

namespace longshore::hostile_clients {

struct RawStream::System {
  const std::unique_ptr<RawBytes> bytes;
};

namespace {

std::unique_ptr<RawBytes> opened(const std::string& name) {
  if (name.starts_with(R"(\\)")) return open_raw_pipe(name);
  return open_raw_port(name.substr(name.rfind(':') + 1));
}

}  // namespace

RawStream::RawStream(const std::string& name, std::optional<unsigned>)
    : system_(new System{opened(name)}) {}

RawStream::~RawStream() = default;

size_t RawStream::send(std::string_view bytes) {
  return closed() ? 0 : system_->bytes->send(bytes);
}

std::string RawStream::receive() { return closed() ? std::string() : system_->bytes->receive(); }

bool RawStream::wait_to_send(int patience) { return system_->bytes->wait_to_send(patience); }

void RawStream::wait_to_receive(int patience) { system_->bytes->wait_to_receive(patience); }

size_t RawStream::send_with_descriptors(std::string_view bytes, int) { return send(bytes); }

bool RawStream::closed() const { return system_->bytes->closed(); }

}  // namespace longshore::hostile_clients
