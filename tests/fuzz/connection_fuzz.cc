// A whole connection of our server's, from its first byte to its end, to a client that sends what
// it likes and reads slowly or never, on a clock of the fuzzer's own.
//
// The input is a script: a byte says what happens next, those behind it how. After every step what
// the connection holds for its client must be accounted for, and within its budget; what is late
// must have been ended; and at the end nothing may be left.
#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "rpc/server.h"
#include "tests/fuzz/script.h"
#include "tests/fuzz/scripted_calls.h"
#include "tests/unit/rpc/raw_peer.h"

namespace {

// Hours after the beginning: timers look back too.
std::chrono::steady_clock::time_point g_now{std::chrono::hours(1000)};

}  // namespace

// In place of the library's, for all of this program: time passes only where the script says so.
std::chrono::steady_clock::time_point std::chrono::steady_clock::now() noexcept { return g_now; }

namespace longshore::rpc {
namespace {

using namespace std::chrono_literals;
using fuzz::Script;
using Clock = std::chrono::steady_clock;

constexpr size_t kMemory = 256u << 10;
// What a connection may hold besides what it accounts for: the buffers of one read and one write,
// which has grown to twice what it gathers, nghttp2 with its tables, and header fields that are not
// whole.
constexpr size_t kUncounted = 384u << 10;
// What is being written is accounted for and never refused.
constexpr size_t kOverdraft = 128u << 10;
constexpr size_t kMostSteps = 1000;
constexpr size_t kMostBytes = 4u << 20;
constexpr size_t kMostBytesOnTheWay = 256u << 10;  // then the client waits, as on a full socket

Limits small_limits() {
  Limits limits;
  limits.max_message_bytes = 64u << 10;
  limits.max_header_bytes = 4096;
  limits.max_concurrent_streams = 32;
  limits.max_buffered_bytes = 128u << 10;
  limits.call_bytes_high_watermark = 64u << 10;
  limits.max_memory_bytes = kMemory;
  limits.stream_window_bytes = 16u << 10;
  limits.connection_window_bytes = 64u << 10;
  limits.stream_unsent_bytes = 16u << 10;
  limits.unsent_high_watermark = 64u << 10;
  return limits;
}

void fail(const char* what, size_t first, size_t second) {
  std::fprintf(stderr, "%s: %zu, %zu\n", what, first, second);
  __builtin_trap();
}

class World {
 public:
  World()
      : memory_(std::make_shared<MemoryAccount>(
            MemoryAccount::Options{.name = "the connection", .limit = kMemory})),
        heap_before_(__sanitizer_get_current_allocated_bytes()),
        connection_(
            make_server_connection(link_.make_server(), service_, limits_, {nullptr, memory_})) {
    connection_->start([this](const std::string&) { is_closed_ = true; });
  }

  void run(Script& script) {
    while (!script.is_over() && steps_ < kMostSteps && !is_closed_) step(script);
  }

  void end() {
    connection_->close();
    link_.run();
    connection_.reset();
    link_.run();
    if (!is_closed_) fail("the connection did not end", 0, 0);
    if (!service_.calls.empty()) fail("calls are left", service_.calls.size(), 0);
    if (memory_->used() != 0) fail("bytes are left in the account", memory_->used(), 0);
  }

 private:
  void step(Script& script) {
    ++steps_;
    const size_t before = script.at();
    switch (script.number() % 14) {
      case 0:
        send(std::string(script.text(script.number())));
        break;
      case 1:
        greet();
        break;
      case 2:
        open_call(script.number());
        break;
      case 3:
        send_message(script);
        break;
      case 4:  // a message of which but the announcement comes
        send(data(script, std::string(1, '\0') + number_bytes(script.size(), 4), 0));
        break;
      case 5:
        send(frame_bytes(FrameType::kReset, 0, stream(script), number_bytes(8, 4)));
        break;
      case 6:
        send(frame_bytes(FrameType::kWindowUpdate, 0, script.number() % 2 ? stream(script) : 0,
                         number_bytes(script.size(), 4)));
        break;
      case 7:
        send_control(script.number());
        break;
      case 8:
        send_fields_in_pieces(script);
        break;
      case 9:
        read(script.size());
        break;
      case 10:
        set_speed(script.number());
        break;
      case 11:
        answer(script);
        break;
      case 12:
        pass(std::chrono::milliseconds(script.size()));
        break;
      case 13:
        end_or_repeat(script, before);
        break;
    }
    check();
  }

  void greet() {
    send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame_bytes(FrameType::kSettings, 0, 0, {}));
  }

  void open_call(size_t choice) {
    static const std::string kPaths[] = {"/t/Wait", "/t/Echo", "/t/Stream", "/t/Unknown"};
    RawFields more;
    if ((choice & 4) != 0) more.emplace_back("grpc-timeout", "1S");
    if ((choice & 8) != 0) more.emplace_back("x-long", std::string(3000, 'x'));
    if ((choice & 32) != 0) more.emplace_back("grpc-encoding", "gzip");
    const uint8_t flags = kEndHeaders | ((choice & 16) != 0 ? kEndStream : 0);
    last_stream_ += 2;
    send(frame_bytes(FrameType::kHeaders, flags, last_stream_,
                     block_bytes(RawPeer::request_fields(kPaths[choice % 4], more))));
  }

  // Whole; in frames as large as they may be. As it is, or said to be compressed.
  void send_message(Script& script) {
    const size_t choice = script.number();
    const uint32_t to = stream(script);
    const std::string bytes =
        message_bytes(std::string(script.size(), 'm'), (choice & 2) != 0 ? 1 : 0);
    constexpr size_t kFrame = 16384;
    for (size_t from = 0; from < bytes.size(); from += kFrame) {
      const bool is_last = from + kFrame >= bytes.size();
      send(frame_bytes(FrameType::kData, is_last && choice % 2 ? kEndStream : 0, to,
                       std::string_view(bytes).substr(from, kFrame)));
    }
  }

  std::string data(Script& script, const std::string& bytes, uint8_t flags) {
    return frame_bytes(FrameType::kData, flags, stream(script), bytes);
  }

  void send_control(size_t choice) {
    switch (choice % 5) {
      case 0:
        return send(frame_bytes(FrameType::kPing, 0, 0, "12345678"));
      case 1:
        return send(frame_bytes(FrameType::kSettings, kAck, 0, {}));
      case 2:  // windows of its own: none, or as large as they go
        return send(
            frame_bytes(FrameType::kSettings, 0, 0,
                        number_bytes(4, 2) + number_bytes(choice < 128 ? 0 : 0x7fffffff, 4)));
      case 3:
        return send(frame_bytes(FrameType::kPriority, 0, last_stream_, number_bytes(0, 5)));
      default:
        return send(frame_bytes(FrameType::kGoaway, 0, 0, number_bytes(0, 8)));
    }
  }

  // Without their end, unless the script says so.
  void send_fields_in_pieces(Script& script) {
    const size_t pieces = script.number() % 64;
    const std::string block =
        block_bytes(RawPeer::request_fields("/t/Wait", {{"x", std::string(script.size(), 'x')}}));
    last_stream_ += 2;
    send(frame_bytes(FrameType::kHeaders, 0, last_stream_, block.substr(0, 100)));
    for (size_t i = 0; i < pieces; ++i) {
      send(frame_bytes(FrameType::kContinuation, 0, last_stream_, block.substr(100, 1000)));
    }
    if (pieces % 2) send(frame_bytes(FrameType::kContinuation, kEndHeaders, last_stream_, {}));
  }

  void read(size_t bytes) {
    std::string& waiting = link_.to_client().bytes;
    waiting.erase(0, std::min(bytes, waiting.size()));
    link_.write(link_.to_client(), {});  // there is room now
    link_.run();
  }

  void set_speed(size_t choice) {
    constexpr size_t kRooms[] = {0, 1, 1000, 64u << 10};
    link_.to_client().capacity = kRooms[choice % 4];
    link_.to_server().portion = (choice & 4) != 0 ? 200 : MemoryLink::kUnlimited;
  }

  void answer(Script& script) {
    const size_t choice = script.number();
    const size_t bytes = script.size();
    if (service_.calls.empty()) return;
    auto at = service_.calls.begin();
    std::advance(at, (choice >> 2) % service_.calls.size());
    ScriptedCall& call = **at;
    switch (choice % 4) {
      case 0:
        static_cast<void>(call.send(bytes));
        break;
      case 1:
        call.finish(std::string(bytes, 'a'));
        break;
      case 2:
        call.refuse();
        break;
      case 3:
        call.let_go();
        break;
    }
    link_.run();
  }

  // Timers look at a clock of the system's for when to look at theirs: one that is long past makes
  // them do so now.
  void pass(Clock::duration time) {
    g_now += time;
    boost::asio::steady_timer waker(context_, g_now - 24h);
    waker.async_wait([](boost::system::error_code) {});
    link_.run();
    if (is_closed_) return;
    const bool is_silent = sent_ == 0 && Clock::now() - begun_ > limits_.preface_timeout;
    if (is_silent) fail("who says nothing may stay", 0, 0);
    for (const ScriptedCall* call : service_.calls) {
      if (call->is_late()) fail("a request is late and was not ended", 0, 0);
    }
  }

  void end_or_repeat(Script& script, size_t here) {
    const size_t choice = script.number();
    const size_t times = script.number();
    if (choice == 0) connection_->drain();
    if (choice == 1) connection_->probe(100ms);
    link_.run();
    if (choice < 2 || repeats_ || choice > here) return;
    repeats_ = true;
    const size_t behind = script.at();
    for (size_t i = 0; i < times && steps_ < kMostSteps && !is_closed_; ++i) {
      script.go_to(here - choice);
      while (script.at() < here && steps_ < kMostSteps && !is_closed_) step(script);
    }
    script.go_to(behind);
    repeats_ = false;
  }

  uint32_t stream(Script& script) const {
    const uint32_t back = static_cast<uint32_t>(script.number() % 16) * 2;
    return last_stream_ > back ? last_stream_ - back : 1;
  }

  void send(const std::string& bytes) {
    sent_ += bytes.size();
    if (sent_ > kMostBytes || link_.to_server().bytes.size() > kMostBytesOnTheWay) return;
    link_.write(link_.to_server(), bytes);
    link_.run();
  }

  void check() {
    const size_t used = memory_->used();
    if (used > kMemory + kOverdraft) fail("more is used than the budget allows", used, kMemory);
    // What is on the way is the kernel's in a real agent.
    const size_t on_the_way =
        link_.to_server().bytes.capacity() + link_.to_client().bytes.capacity();
    const size_t heap = __sanitizer_get_current_allocated_bytes();
    const size_t allowed = heap_before_ + on_the_way + used + kUncounted;
    if (heap > allowed) fail("more is held than is accounted for", heap - heap_before_, used);
  }

  const Limits limits_ = small_limits();
  boost::asio::io_context context_{1};
  MemoryLink link_{context_};
  ScriptedService service_;
  const std::shared_ptr<MemoryAccount> memory_;
  const size_t heap_before_;
  std::shared_ptr<ServerConnection> connection_;
  const Clock::time_point begun_ = Clock::now();
  uint32_t last_stream_ = 1;
  size_t steps_ = 0;
  size_t sent_ = 0;
  bool repeats_ = false;
  bool is_closed_ = false;
};

}  // namespace
}  // namespace longshore::rpc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  longshore::fuzz::Script script({reinterpret_cast<const char*>(data), size});
  longshore::rpc::World world;
  world.run(script);
  world.end();
  return 0;
}
