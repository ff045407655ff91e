// A load generator of the gRPC C++ library for /v1.Filesystem/PathExists over a Unix socket.
//
//   grpc_peer_client --socket <socket> --path <path> [--callers 1] [--in-flight 1] [--calls 10000]
//                    [--method /v1.Filesystem/PathExists[,...]] [--server-pid <pid>]
//
// Each caller has a connection of its own and keeps so many calls in flight; --calls is the sum. It
// calls the methods in turn.
// Prints one line of JSON; exits with 1 when a call failed.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "process_usage.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Plan {
  std::string socket;
  std::string path = "/";
  std::vector<std::string> methods = {"/v1.Filesystem/PathExists"};
  size_t callers = 1;
  size_t in_flight = 1;
  size_t calls = 10000;
  pid_t server = 0;
};

// One connection with its own completion queue and thread.
class Caller {
 public:
  Caller(const Plan& plan, size_t index) : plan_(plan), stub_(connect(plan, index)) {
    // Field 1 of the request.
    const std::string request =
        std::string("\x0a", 1) + static_cast<char>(plan.path.size()) + plan.path;
    const grpc::Slice slice(request);
    request_ = grpc::ByteBuffer(&slice, 1);
  }

  void run(size_t calls) {
    latencies_.reserve(calls);
    size_t started = 0;
    while (started < std::min(calls, plan_.in_flight)) start(new Call, started++);
    void* tag = nullptr;
    bool ok = false;
    for (size_t ended = 0; ended < calls && queue_.Next(&tag, &ok); ++ended) {
      const std::unique_ptr<Call> call(static_cast<Call*>(tag));
      latencies_.push_back(Clock::now() - call->begin);
      if (!ok || !call->status.ok()) ++failures_;
      if (started < calls) start(new Call, started++);
    }
  }

  const std::vector<Clock::duration>& latencies() const { return latencies_; }
  size_t failures() const { return failures_; }

 private:
  struct Call {
    grpc::ClientContext context;
    grpc::Status status;
    grpc::ByteBuffer answer;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
    Clock::time_point begin;
  };

  static std::shared_ptr<grpc::Channel> connect(const Plan& plan, size_t index) {
    grpc::ChannelArguments arguments;
    arguments.SetInt("longshore.caller", static_cast<int>(index));  // no shared subchannels
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    auto channel = grpc::CreateCustomChannel("unix:" + plan.socket,
                                             grpc::InsecureChannelCredentials(), arguments);
    channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(5));
    return channel;
  }

  void start(Call* call, size_t index) {
    const std::string& method = plan_.methods[index % plan_.methods.size()];
    call->begin = Clock::now();
    call->reader = stub_.PrepareUnaryCall(&call->context, method, request_, &queue_);
    call->reader->StartCall();
    call->reader->Finish(&call->answer, &call->status, call);
  }

  const Plan& plan_;
  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  grpc::ByteBuffer request_;
  std::vector<Clock::duration> latencies_;
  size_t failures_ = 0;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

bool read_plan(const std::vector<std::string>& arguments, Plan& plan) {
  std::map<std::string, std::string> values;
  if (arguments.size() % 2 != 0) return false;
  for (size_t i = 0; i < arguments.size(); i += 2) values[arguments[i]] = arguments[i + 1];
  const auto take = [&](const char* name, auto&& use) {
    const auto found = values.extract(name);
    if (!found.empty()) use(found.mapped());
  };
  take("--socket", [&](const std::string& value) { plan.socket = value; });
  take("--path", [&](const std::string& value) { plan.path = value; });
  take("--method", [&](const std::string& value) { plan.methods = words_of(value); });
  take("--callers", [&](const std::string& value) { plan.callers = std::stoul(value); });
  take("--in-flight", [&](const std::string& value) { plan.in_flight = std::stoul(value); });
  take("--calls", [&](const std::string& value) { plan.calls = std::stoul(value); });
  take("--server-pid", [&](const std::string& value) { plan.server = std::stoi(value); });
  return values.empty() && !plan.socket.empty() && !plan.methods.empty() && plan.callers > 0 &&
         plan.in_flight > 0 && plan.path.size() < 128;
}

}  // namespace

int main(int count, char** words) {
  Plan plan;
  if (!read_plan({words + 1, words + count}, plan)) {
    std::cerr
        << "usage: grpc_peer_client --socket <socket> --path <path> [--callers <n>]"
           " [--in-flight <n>] [--calls <n>] [--method <method>[,...]] [--server-pid <pid>]\n";
    return 2;
  }
  std::vector<std::unique_ptr<Caller>> callers;
  for (size_t i = 0; i < plan.callers; ++i) callers.push_back(std::make_unique<Caller>(plan, i));

  const uint64_t processor_before =
      plan.server > 0 ? longshore::bench::processor_nanoseconds(plan.server) : 0;
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> threads;
  for (size_t i = 0; i < plan.callers; ++i) {
    const size_t share = plan.calls / plan.callers + (i < plan.calls % plan.callers ? 1 : 0);
    threads.emplace_back([&caller = *callers[i], share] { caller.run(share); });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const uint64_t processor_after =
      plan.server > 0 ? longshore::bench::processor_nanoseconds(plan.server) : 0;

  std::vector<Clock::duration> latencies;
  size_t failures = 0;
  for (const auto& caller : callers) {
    latencies.insert(latencies.end(), caller->latencies().begin(), caller->latencies().end());
    failures += caller->failures();
  }
  std::sort(latencies.begin(), latencies.end());
  const auto quantile = [&](double part) {
    if (latencies.empty()) return 0.0;
    const auto index = static_cast<size_t>(part * static_cast<double>(latencies.size() - 1));
    return microseconds(latencies[index]);
  };
  std::printf(
      "{\"callers\":%zu,\"in_flight\":%zu,\"calls\":%zu,\"failures\":%zu,\"p50_us\":%.1f,"
      "\"p99_us\":%.1f,\"calls_per_second\":%.0f,\"server_cpu_us_per_call\":%.2f,"
      "\"server_pss_kib\":%llu}\n",
      plan.callers, plan.in_flight, latencies.size(), failures, quantile(0.5), quantile(0.99),
      static_cast<double>(latencies.size()) / seconds,
      static_cast<double>(processor_after - processor_before) / 1000 /
          static_cast<double>(std::max<size_t>(latencies.size(), 1)),
      static_cast<unsigned long long>(plan.server > 0 ? longshore::bench::pss_kib(plan.server)
                                                      : 0));
  return failures == 0 && latencies.size() == plan.calls ? 0 : 1;
}
