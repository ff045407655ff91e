// A process that says anything at all in place of what a module host would: the instance in the
// agent ends each of its calls exactly once, and then itself.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "longshore/context.hpp"
#include "supervise/child_instance.h"
#include "supervise/handshake.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/random_seed.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::supervise;
using namespace longshore::test;

namespace {

constexpr longshore_call kStartCall = 1;
constexpr longshore_call kUnaryCall = 2;
constexpr longshore_call kStreamCall = 3;

// The agent's side of the ABI, as far as an instance uses it; counts how often calls are finished.
class CountingHost {
 public:
  CountingHost() {
    table.struct_size = sizeof(table);
    table.context = this;
    table.call_info = [](auto* host, longshore_call call, longshore_call_info* info) {
      info->remaining_ns = 60'000'000'000;
      return of(host).state(call);
    };
    table.call_state = [](auto* host, longshore_call call) { return of(host).state(call); };
    table.send = [](auto* host, longshore_call call, longshore_bytes) {
      return of(host).state(call);
    };
    table.finish = [](auto* host, longshore_call call, longshore_status_code, longshore_bytes) {
      CountingHost& self = of(host);
      const std::lock_guard lock(self.mutex_);
      ++self.finished_[call];
      self.changed_.notify_all();
      return LONGSHORE_OK;
    };
    // Every other call of the module's is answered at once, the rest is refused.
    table.invoke = [](auto*, const longshore_invoke_request* request, longshore_invocation*) {
      if (request->timeout_ns % 2 == 0) return LONGSHORE_STALE;
      request->on_finish(request->user, 0, 0, {});
      return LONGSHORE_OK;
    };
    table.cancel = [](auto*, longshore_invocation) { return LONGSHORE_STALE; };
    table.grant = [](auto*, longshore_invocation, uint32_t) { return LONGSHORE_STALE; };
    table.set_degraded = [](auto* host, longshore_bytes reason) {
      CountingHost& self = of(host);
      const std::lock_guard lock(self.mutex_);
      self.degraded_.emplace_back(to_view(reason));
      return LONGSHORE_OK;
    };
    table.log = [](auto*, longshore_log_level, longshore_call, longshore_bytes) {};
  }

  bool wait_for_end_of(longshore_call call) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return finished_[call] > 0; });
  }
  std::map<longshore_call, int> finished() const {
    const std::lock_guard lock(mutex_);
    return finished_;
  }

  std::vector<std::string> degraded() const {
    const std::lock_guard lock(mutex_);
    return degraded_;
  }

  longshore_host table{};

 private:
  static CountingHost& of(const longshore_host* host) {
    return *static_cast<CountingHost*>(host->context);
  }
  longshore_result state(longshore_call call) const {
    const std::lock_guard lock(mutex_);
    return finished_.count(call) == 0 ? LONGSHORE_OK : LONGSHORE_STALE;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<longshore_call, int> finished_;
  std::vector<std::string> degraded_;
};

// Frames of all kinds, most of them well made, in any order.
class Noise {
 public:
  explicit Noise(uint64_t seed) : random_(seed) {}

  std::string make() {
    std::string bytes;
    // Often a good beginning, without which not much is listened to.
    if (one_in(2)) bytes += frame(FrameType::kReady, 0, with_own_versions<child::v1::Ready>());
    if (one_in(2)) bytes += frame(FrameType::kStarted, 0, child::v1::End());
    for (uint64_t left = below(12); left > 0; --left) bytes += any_frame();
    if (one_in(4)) bytes.resize(below(bytes.size() + 1));
    return bytes;
  }

  template <typename Head>
  static std::string frame(FrameType type, const Head& head, const std::string& payload) {
    return raw(type, 0, head.SerializeAsString(), payload);
  }

 private:
  std::string any_frame() {
    const auto type = static_cast<FrameType>(one_in(12) ? below(64) : 10 + below(12));
    const uint64_t id = one_in(8) ? random_() : below(5);
    child::v1::End end;
    end.set_code(static_cast<int32_t>(below(20)) - 1);
    end.set_has_response(one_in(2));
    child::v1::Invoke invoke;
    invoke.set_method("v1.Disk/Do");
    invoke.set_timeout_ns(static_cast<int64_t>(below(4)));
    invoke.set_credit(static_cast<uint32_t>(random_()));
    child::v1::Grant grant;
    grant.set_messages(static_cast<uint32_t>(random_()));
    switch (below(6)) {
      case 0:
        return frame(type, id, invoke);
      case 1:
        return frame(type, id, grant);
      case 2:
        return raw(type, id, std::string(below(9), static_cast<char>(random_())), "x");
      default:
        return frame(type, id, end);
    }
  }

  template <typename Head>
  std::string frame(FrameType type, uint64_t id, const Head& head) {
    return raw(type, id, head.SerializeAsString(), std::string(below(200), 'p'));
  }
  static std::string raw(FrameType type, uint64_t id, const std::string& head,
                         const std::string& payload) {
    const FrameHeader header = header_of({type, id, head, payload});
    return std::string(header.data(), header.size()) + head + payload;
  }
  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool one_in(uint64_t times) { return below(times) == 0; }

  std::mt19937_64 random_;
};

loader::ModuleFacts facts_of_two_methods() {
  loader::ModuleFacts facts;
  for (const bool is_stream : {false, true}) {
    router::Method method;
    method.full_name = is_stream ? "v1.Echo/Count" : "v1.Echo/Say";
    method.server_streaming = is_stream;
    method.idempotent = is_stream;
    facts.description.methods.push_back(method);
  }
  return facts;
}

}  // namespace

namespace {

// The parts of an instance whose process says what stands in a file, and ends.
struct Speaker {
  Speaker() {
    std::signal(SIGPIPE, SIG_IGN);  // as the agent does: it may be gone when it is spoken to
    options.name = "noise";
    options.program = directory / "noise.sh";
    options.frames.frame_bytes = 1 << 16;
    options.restart_delay_max = std::chrono::milliseconds(1);
    write_file(options.program, "#!/bin/sh\nexec /bin/cat " + (directory / "frames") + " >&4\n");
    if (chmod(options.program.c_str(), 0755) != 0) throw std::runtime_error("no mode");
  }
  void say(const std::string& frames) const { write_file(directory / "frames", frames); }
  ChildInstance::Parts parts() { return {facts, file, options, *log}; }

  const TemporaryDirectory directory;
  const loader::ModuleFacts facts = facts_of_two_methods();
  const loader::ModuleFile file = loader::ModuleFile::open(built_module("echo"), {}).value();
  const std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  ChildOptions options;
};

}  // namespace

TEST_CASE_METHOD(Speaker, "What a process says of how it serves is handed on, until it ends") {
  say(Noise::frame(FrameType::kReady, with_own_versions<child::v1::Ready>(), {}) +
      Noise::frame(FrameType::kStarted, child::v1::End(), {}) +
      Noise::frame(FrameType::kDegraded, child::v1::End(), "tired\n"));
  options.restart_max = 0;
  CountingHost host;
  ChildInstance instance(parts(), &host.table);
  instance.start(kStartCall, {}, {});
  CHECK(eventually([&] { return host.degraded().size() == 2; }));
  instance.end();
  CHECK(host.degraded() == std::vector<std::string>{"tired\\n", ""});
}

TEST_CASE_METHOD(
    Speaker,
    "Whatever the process of a module says, each call is finished once, and the end comes") {
  options.retry_idempotent = true;
  const uint64_t seed = random_seed();
  Noise noise(seed);
  for (int i = 0; i < 100; ++i) {
    INFO("seed " << seed << ", round " << i);
    say(noise.make());
    options.restart_max = static_cast<size_t>(i % 3);
    CountingHost host;
    ChildInstance instance(parts(), &host.table);
    instance.start(kStartCall, {}, {});
    instance.invoke(kUnaryCall, "v1.Echo/Say", "request");
    instance.invoke(kStreamCall, "v1.Echo/Count", "request");
    if (i % 4 == 0) instance.cancel(kStreamCall);
    CHECK(host.wait_for_end_of(kStartCall));
    instance.end();
    const std::map<longshore_call, int> once = {{kStartCall, 1}, {kUnaryCall, 1}, {kStreamCall, 1}};
    CHECK(host.finished() == once);
  }
}
