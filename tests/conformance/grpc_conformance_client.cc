// Clients of the gRPC C++ library, and some that speak nothing sensible, against our server.
// Starts the server itself; prints a line a scenario; exits with 1 when one failed.
//
//   grpc_conformance_client <rpc_test_server>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "child_process.h"
#include "grpc_calls.h"
#include "peer_service.h"

namespace longshore::conformance {
namespace {

struct Counts {
  int hanging = 0;
  int given_up = 0;
  unsigned long streamed = 0;
};

class Scenarios {
 public:
  explicit Scenarios(const std::string& socket) : socket_(socket), stub_(connect()) {}

  void every_status();
  void sizes();
  void too_large();
  void metadata();
  void deadlines();
  void cancel_in_every_phase();
  void a_thousand_streams();
  void stalled_reader();
  void compressed_requests();
  void chat();
  void unknown_methods();
  void drains();
  void raw_peers();
  void raw_floods();

 private:
  std::shared_ptr<grpc::Channel> connect(bool with_growing_windows = true) const {
    grpc::ChannelArguments arguments;
    if (!with_growing_windows) arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
    // Reconnects at once after a drain.
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 1);
    // What a connection attempt may take: on a busy machine more than the first setting says.
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20'000);
    return grpc::CreateCustomChannel("unix:" + socket_, grpc::InsecureChannelCredentials(),
                                     arguments);
  }

  Answer call(const std::string& method, const std::string& request, const Options& options = {}) {
    return UnaryCall(stub_, method, request, options).wait();
  }

  Counts counts() {
    const Answer answer = call(kCounts, {});
    expect(answer.status.ok(), "Counts: " + answer.status.error_message());
    Counts counts;
    expect(std::sscanf(answer.message.c_str(), "%d %d %lu", &counts.hanging, &counts.given_up,
                       &counts.streamed) == 3,
           "Counts: " + answer.message);
    return counts;
  }

  // Asks until it is so.
  void await(const std::string& what, const std::function<bool(const Counts&)>& is_so) {
    const auto end = Clock::now() + kPatience;
    while (!is_so(counts())) expect(Clock::now() < end, "waited too long for " + what);
  }

  const std::string socket_;
  grpc::GenericStub stub_;
};

void Scenarios::every_status() {
  const std::vector<std::string> texts = {"",
                                          "plain",
                                          "100% of \xc3\xa9\xf0\x9f\x9a\xa2\n\t\r",
                                          " spaces at the ends ",
                                          "%41 is no A",
                                          std::string(3000, 'x')};
  for (const char* messages : {"0", "1", "3"}) {
    for (int code = 0; code <= 16; ++code) {
      for (const std::string& text : texts) {
        StreamCall call(stub_, kStatus,
                        {{{"want-code", std::to_string(code)},
                          {"want-text-bin", text},
                          {"want-messages", messages}}});
        call.write({});
        call.end_writing();
        std::string message;
        int received = 0;
        while (call.read(message)) ++received;
        const grpc::Status status = call.finish();
        const std::string where = "code " + std::to_string(code) + ", text \"" + text + "\"";
        expect(received == std::stoi(messages), where + ": messages");
        expect(status.error_code() == code, where + ": " + std::to_string(status.error_code()));
        expect(code == 0 || status.error_message() == text, where + ": " + status.error_message());
      }
    }
  }
}

void Scenarios::sizes() {
  for (const size_t size : {0u, 1u, 16379u, 16380u, 65535u, 4u << 20, 16u << 20}) {
    const std::string request(size, 'x');
    const Answer answer = call(kEcho, request);
    expect(answer.status.ok(), std::to_string(size) + ": " + answer.status.error_message());
    expect(answer.message == request, std::to_string(size) + ": other bytes came back");
  }
  std::vector<std::unique_ptr<UnaryCall>> calls;
  const std::string large(4u << 20, 'y');
  for (int i = 0; i < 8; ++i) calls.push_back(std::make_unique<UnaryCall>(stub_, kEcho, large));
  for (const auto& each : calls) expect(each->wait().message == large, "eight of 4 MiB at once");
}

void Scenarios::too_large() {
  const Answer answer = call(kEcho, std::string(kMaxMessageBytes + 1, 'x'));
  expect(answer.status.error_code() == grpc::RESOURCE_EXHAUSTED, answer.status.error_message());
  expect(call(kEcho, "x").status.ok(), "the connection is of no more use");
}

void Scenarios::metadata() {
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  const Metadata metadata = {{"x-empty", ""},
                             {"x-twice", "1"},
                             {"x-twice", "2"},
                             {"x-text", "a, b; c=%20 ~"},
                             {"x-bytes-bin", all_bytes},
                             {"x-empty-bin", ""},
                             {"x-twice-bin", "one"},
                             {"x-twice-bin", std::string("\0two", 4)},
                             {"x-large", std::string(4000, 'l')}};
  const Answer answer = call(kEcho, {}, {metadata});
  expect(answer.status.ok(), answer.status.error_message());
  expect(answer.trailers == metadata, "other metadata came back");
  for (int i = 1; i < 7; ++i) {  // lengths that need padding in base64, and do not
    const Metadata bytes = {{"x-bin", all_bytes.substr(0, static_cast<size_t>(i))}};
    expect(call(kEcho, {}, {bytes}).trailers == bytes, "base64 of " + std::to_string(i));
  }
  const Answer refused = call(kEcho, {}, {{{"x-too-large", std::string(30000, 'l')}}});
  expect(refused.status.error_code() == grpc::RESOURCE_EXHAUSTED, refused.status.error_message());
  expect(call(kEcho, "x").status.ok(), "the connection is of no more use");
}

void Scenarios::deadlines() {
  const Answer left = call(kDeadline, {}, {{}, std::chrono::seconds(30)});
  const double seconds = std::stod(left.message) / 1e9;
  expect(seconds > 1 && seconds <= 30.1, "of 30 seconds are left: " + left.message);
  const int before = counts().given_up;
  const Answer answer = call(kHang, {}, {{}, std::chrono::milliseconds(50)});
  expect(answer.status.error_code() == grpc::DEADLINE_EXCEEDED, answer.status.error_message());
  await("the server to hear of the deadline",
        [&](const Counts& now) { return now.given_up == before + 1; });
  // Shorter than a call takes: whatever comes of it, the connection goes on.
  for (int i = 0; i < 200; ++i) call(kEcho, "x", {{}, std::chrono::milliseconds(i % 3)});
  expect(call(kEcho, "x").status.ok(), "the connection is of no more use");
}

void Scenarios::cancel_in_every_phase() {
  for (int i = 0; i < 200; ++i) {  // before, while and after the request is sent
    UnaryCall call(stub_, kHang, {});
    if (i % 2 == 1) std::this_thread::yield();
    call.cancel();
    const grpc::Status status = call.wait().status;
    expect(status.error_code() == grpc::CANCELLED,
           "cancelled at the start: " + std::to_string(status.error_code()) + ' ' +
               status.error_message());
  }
  await("early cancels to arrive", [](const Counts& now) { return now.hanging == 0; });

  int before = counts().given_up;
  {
    UnaryCall call(stub_, kHang, {});
    await("a call to hang", [](const Counts& now) { return now.hanging == 1; });
    call.cancel();
    expect(call.wait().status.error_code() == grpc::CANCELLED, "cancelled while it runs");
    await("the cancel to arrive", [&](const Counts& now) { return now.given_up == before + 1; });
  }
  {
    StreamCall call(stub_, kHang, {{{"want-messages", "2"}}});
    call.write({});
    call.end_writing();
    std::string message;
    expect(call.read(message) && call.read(message), "messages before the cancel");
    call.cancel();
    expect(!call.read(message), "a message after the cancel");
    expect(call.finish().error_code() == grpc::CANCELLED, "cancelled between messages");
    await("the cancel to arrive", [&](const Counts& now) { return now.given_up == before + 2; });
  }
  {
    StreamCall call(stub_, kEcho);  // while the request is not whole
    expect(call.write(std::string(1u << 20, 'x')), "the first message");
    call.cancel();
    expect(call.finish().error_code() == grpc::CANCELLED, "cancelled before the end");
  }
  UnaryCall over(stub_, kEcho, "x");
  expect(over.wait().status.ok(), "a call that is cancelled when it is over");
  over.cancel();
  expect(call(kEcho, "x").status.ok(), "the connection is of no more use");
}

void Scenarios::a_thousand_streams() {
  constexpr int kStreams = 1000;
  std::vector<std::unique_ptr<UnaryCall>> calls;
  const int before = counts().given_up;
  for (int i = 0; i < kStreams; ++i) calls.push_back(std::make_unique<UnaryCall>(stub_, kHang, ""));
  await("a thousand calls to run", [](const Counts& now) { return now.hanging == kStreams; });
  expect(call(kEcho, "beside them").status.ok(), "a call beside them");
  for (const auto& each : calls) each->cancel();
  for (const auto& each : calls) {
    const grpc::Status status = each->wait().status;
    expect(status.error_code() == grpc::CANCELLED, "a thousand cancels: " + text_of(status));
  }
  await("all cancels to arrive",
        [&](const Counts& now) { return now.hanging == 0 && now.given_up == before + kStreams; });
  calls.clear();
  const std::string request(10000, 'x');
  for (int i = 0; i < 2 * kStreams; ++i) {
    calls.push_back(std::make_unique<UnaryCall>(stub_, kEcho, request + std::to_string(i)));
  }
  for (int i = 0; i < 2 * kStreams; ++i) {
    expect(calls[static_cast<size_t>(i)]->wait().message == request + std::to_string(i),
           "two thousand echoes");
  }
}

void Scenarios::stalled_reader() {
  constexpr size_t kCount = 2000;
  constexpr size_t kSize = 32u << 10;
  // The library reads on its own as far as the round trips that it measures suggest.
  grpc::GenericStub stub(connect(false));
  StreamCall call(stub, kStream,
                  {{{"want-count", std::to_string(kCount)}, {"want-size", std::to_string(kSize)}}});
  call.write({});
  call.end_writing();
  std::string message;
  expect(call.read(message), "the first message");
  for (int i = 0; i < 200; ++i) {
    expect(UnaryCall(stub, kEcho, std::string(5000, 'x')).wait().status.ok(),
           "a call beside a stalled one");
  }
  const unsigned long sent = counts().streamed;
  expect(sent < kCount / 2, "the server sent " + std::to_string(sent) + " messages to nobody");
  size_t received = 1;
  while (call.read(message)) {
    ++received;
    expect(message == std::string(kSize, static_cast<char>(received)), "the order of messages");
  }
  expect(received == kCount, "received " + std::to_string(received));
  expect(call.finish().ok(), "the status of the stream");
}

void Scenarios::compressed_requests() {
  for (const size_t size : {0u, 10u, 100000u, 4u << 20}) {
    const Answer answer = call(kEcho, std::string(size, 'x'), {{}, kPatience, true});
    const std::string where = std::to_string(size) + ": " + text_of(answer.status);
    expect(answer.status.error_code() == grpc::UNIMPLEMENTED, where);
    expect(answer.status.error_message().find("only identity is") != std::string::npos, where);
  }
  expect(call(kEcho, "x").status.ok(), "the connection is of no more use");
}

void Scenarios::chat() {
  StreamCall call(stub_, kChat);
  for (int i = 0; i < 100; ++i) {
    const std::string said(static_cast<size_t>(i) * 1000, 'x');
    std::string heard;
    expect(call.write(said) && call.read(heard) && heard == said, "chat " + std::to_string(i));
  }
  call.end_writing();
  std::string message;
  expect(!call.read(message), "a message after the end");
  expect(call.finish().ok(), "the status of the chat");
}

void Scenarios::unknown_methods() {
  for (const char* method : {"/test.Peer/None", "/no.Service/None", "/", "/x"}) {
    expect(call(method, "x").status.error_code() == grpc::UNIMPLEMENTED, method);
  }
  // The answer comes before the request is whole.
  for (const char* method : {"/no.Service/None", "/x"}) {
    StreamCall early(stub_, method);
    for (int i = 0; i < 100 && early.write(std::string(100000, 'x')); ++i) continue;
    const grpc::Status status = early.finish();
    expect(status.error_code() == grpc::UNIMPLEMENTED, "early: " + text_of(status));
  }
}

void Scenarios::drains() {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<UnaryCall>> calls;
    for (int i = 0; i < 100; ++i) {
      if (i == 50) calls.push_back(std::make_unique<UnaryCall>(stub_, kDrain, ""));
      calls.push_back(std::make_unique<UnaryCall>(stub_, kEcho, std::string(1000, 'x')));
    }
    for (const auto& each : calls) {
      const Answer answer = each->wait();
      expect(answer.status.ok(), "during a drain: " + answer.status.error_message());
    }
  }
}

constexpr char kPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::string frame(char type, char flags, unsigned stream, const std::string& payload) {
  const auto byte = [](size_t number, int shift) { return static_cast<char>(number >> shift); };
  return {std::string{0, byte(payload.size(), 8), byte(payload.size(), 0), type, flags,
                      byte(stream, 24), byte(stream, 16), byte(stream, 8), byte(stream, 0)} +
          payload};
}

void Scenarios::raw_peers() {
  std::vector<std::unique_ptr<RawSocket>> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(std::make_unique<RawSocket>(socket_));
  for (int i = 0; i < 100; ++i) RawSocket closes_at_once(socket_);
  RawSocket half_open(socket_);
  half_open.write(kPreface + frame(4, 0, 0, ""));
  half_open.end_writing();
  expect(!half_open.read_to_end().empty(), "settings for a client that only listens");
  RawSocket other_protocol(socket_);
  other_protocol.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  other_protocol.read_to_end();
  expect(call(kEcho, "x").status.ok(), "a call beside peers that say nothing");
}

void Scenarios::raw_floods() {
  constexpr unsigned kFlood = 5000;
  const std::string head = "\x83\x86\x44\x02/x\x41\x01x";  // POST, http, /x, authority x
  std::map<std::string, std::string> floods;
  floods["CONTINUATION"] = frame(1, 0, 1, head);
  for (unsigned i = 0; i < kFlood; ++i) {
    floods["PING"] += frame(6, 0, 0, "12345678");
    floods["SETTINGS"] += frame(4, 0, 0, "");
    floods["rapid reset"] += frame(1, 4, 2 * i + 1, head) + frame(3, 0, 2 * i + 1, {0, 0, 0, 8});
    floods["CONTINUATION"] += frame(9, 0, 1, "");
  }
  for (const auto& [name, flood] : floods) {
    RawSocket socket(socket_);
    socket.write(kPreface + frame(4, 0, 0, "") + flood);  // it may be closed while we write
    const auto begin = Clock::now();
    const std::string said = socket.read_to_end();
    expect(Clock::now() - begin < std::chrono::seconds(9), name + ": the server goes on");
    // The error of the GOAWAY: ENHANCE_YOUR_CALM, but nghttp2 itself ends endless heads.
    const bool calm = said.find(std::string("\0\0\0\x0b", 4)) != std::string::npos;
    expect(calm || name == "CONTINUATION", name + ": no GOAWAY");
    expect(call(kEcho, "x").status.ok(), name + ": a call beside it");
  }
}

int run(const std::string& server_program) {
  const SocketDirectory directory;
  const std::string socket = directory.path("server.sock");
  ChildProcess server({server_program, "--socket", socket});
  Scenarios scenarios(socket);
  const std::vector<std::pair<const char*, void (Scenarios::*)()>> all = {
      {"every status with odd texts", &Scenarios::every_status},
      {"messages from nothing to 16 MiB", &Scenarios::sizes},
      {"a message over the limit", &Scenarios::too_large},
      {"odd metadata", &Scenarios::metadata},
      {"deadlines", &Scenarios::deadlines},
      {"cancel in every phase", &Scenarios::cancel_in_every_phase},
      {"a thousand streams on one connection", &Scenarios::a_thousand_streams},
      {"a reader that stalls", &Scenarios::stalled_reader},
      {"requests compressed with gzip", &Scenarios::compressed_requests},
      {"messages to and fro", &Scenarios::chat},
      {"unknown methods", &Scenarios::unknown_methods},
      {"drains under load", &Scenarios::drains},
      {"silent, half-open and foreign peers", &Scenarios::raw_peers},
      {"floods", &Scenarios::raw_floods},
  };
  int failures = 0;
  for (const auto& [name, scenario] : all) {
    try {
      (scenarios.*scenario)();
      std::printf("ok      %s\n", name);
    } catch (const std::exception& error) {
      ++failures;
      std::printf("FAILED  %s: %s\n", name, error.what());
    }
    std::fflush(stdout);
  }
  const int status = server.stop();
  if (status != 0) std::printf("FAILED  the server ended with %d\n", status);
  return failures == 0 && status == 0 ? 0 : 1;
}

}  // namespace
}  // namespace longshore::conformance

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: grpc_conformance_client <rpc_test_server>\n");
    return 2;
  }
  return longshore::conformance::run(words[1]);
}
