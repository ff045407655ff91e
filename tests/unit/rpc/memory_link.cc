#include "tests/unit/rpc/memory_link.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <utility>

namespace longshore::rpc {

class MemoryLink::End final : public Transport {
 public:
  End(boost::asio::io_context& context, std::shared_ptr<State> state, Direction& in, Direction& out)
      : context_(context), state_(std::move(state)), in_(in), out_(out) {}

  void read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<TransportUser> user) override {
    in_.read_buffer = buffer;
    in_.reader = std::move(user);
    move_bytes(context_, in_);
  }

  size_t write_now(boost::asio::const_buffer bytes, std::error_code& error) override {
    if (out_.closed) out_.write_error = std::make_error_code(std::errc::broken_pipe);
    error = out_.write_error;
    if (error) return 0;
    const size_t room = out_.capacity - std::min(out_.capacity, out_.bytes.size());
    const size_t part = std::min(room, bytes.size());
    out_.bytes.append(static_cast<const char*>(bytes.data()), part);
    if (part > 0) ++out_.writes;
    move_bytes(context_, out_);
    return part;
  }

  void write(boost::asio::const_buffer bytes, std::shared_ptr<TransportUser> user) override {
    out_.write_rest = bytes;
    out_.writer = std::move(user);
    move_bytes(context_, out_);
  }

  void end_writing() override {
    out_.closed = true;
    move_bytes(context_, out_);
  }

  void close() override {
    in_.closed = out_.closed = true;
    move_bytes(context_, in_);
    move_bytes(context_, out_);
  }

  boost::asio::any_io_executor executor() override { return context_.get_executor(); }

 private:
  boost::asio::io_context& context_;
  std::shared_ptr<State> state_;
  Direction& in_;
  Direction& out_;
};

MemoryLink::MemoryLink(boost::asio::io_context& context)
    : context_(context), state_(std::make_shared<State>()) {}

std::unique_ptr<Transport> MemoryLink::make_end(Direction& in, Direction& out) {
  return std::make_unique<End>(context_, state_, in, out);
}

void MemoryLink::move_bytes(boost::asio::io_context& context, Direction& direction) {
  if (direction.writer) {
    const size_t room = direction.capacity - std::min(direction.capacity, direction.bytes.size());
    const size_t part = direction.closed ? 0 : std::min(room, direction.write_rest.size());
    direction.bytes.append(static_cast<const char*>(direction.write_rest.data()), part);
    direction.write_rest += part;
    if (direction.closed || direction.write_rest.size() == 0) {
      const std::error_code error =
          direction.closed ? std::make_error_code(std::errc::broken_pipe) : std::error_code();
      boost::asio::post(context, [user = std::exchange(direction.writer, nullptr), error] {
        user->on_written(error);
      });
    }
  }
  if (!direction.reader) return;
  const size_t part =
      std::min({direction.portion, direction.bytes.size(), direction.read_buffer.size()});
  if (part == 0 && !direction.closed) return;
  std::copy_n(direction.bytes.begin(), part, static_cast<char*>(direction.read_buffer.data()));
  direction.bytes.erase(0, part);
  const std::error_code error =
      part > 0 ? std::error_code()
               : std::error_code(boost::asio::error::make_error_code(boost::asio::error::eof));
  boost::asio::post(context, [user = std::exchange(direction.reader, nullptr), error, part] {
    user->on_read(error, part);
  });
  if (direction.writer) move_bytes(context, direction);  // the read made room
}

void MemoryLink::write(Direction& direction, const std::string& bytes) {
  direction.bytes += bytes;
  move_bytes(context_, direction);
}

std::string MemoryLink::read(Direction& direction) {
  std::string bytes = std::exchange(direction.bytes, {});
  move_bytes(context_, direction);
  return bytes;
}

void MemoryLink::close() {
  for (Direction& direction : state_->directions) {
    direction.closed = true;
    move_bytes(context_, direction);
  }
}

void MemoryLink::run() {
  context_.restart();
  context_.poll();
}

bool MemoryLink::has_nothing_to_wait_for() {
  run();
  return context_.stopped();
}

}  // namespace longshore::rpc
