// A module that passes structures of any size and arguments of any kind to the agent: as far as the
// ABI promises an answer for them there must be one, and a call has exactly one outcome.
//
// The bytes decide how large the module's table is and what its functions do. What they pass lies
// in memory of exactly the size that it claims, so that AddressSanitizer sees a byte too much.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "loader/instance.h"
#include "loader/module_code.h"
#include "observe/log.h"
#include "router/router.h"

namespace longshore::loader {
namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// The input, read to its end; then everything is zero.
class Script {
 public:
  Script(const uint8_t* data, size_t size) : next_(data), end_(data + size) {}
  bool at_end() const { return next_ == end_; }
  uint8_t byte() { return at_end() ? uint8_t{0} : *next_++; }
  int64_t number() {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return static_cast<int64_t>(value);
  }

 private:
  const uint8_t* next_;
  const uint8_t* const end_;
};

// The first bytes of a struct, in memory of just that size.
template <typename Struct>
std::unique_ptr<char[]> cut(Struct whole, uint8_t size) {
  const size_t bytes = std::max<size_t>(size % (sizeof(Struct) + 16), sizeof(whole.struct_size));
  whole.struct_size = static_cast<uint32_t>(bytes);
  auto memory = std::make_unique<char[]>(bytes);
  std::memcpy(memory.get(), &whole, std::min(bytes, sizeof(Struct)));
  return memory;
}

class Scripted final : public ModuleCode {
 public:
  explicit Scripted(Script& script) : ModuleCode(facts()), script_(script) {}

  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    host_ = host;
    longshore_instance table{};
    table.start = [](void* me, longshore_call call, longshore_bytes, longshore_bytes) {
      static_cast<Scripted*>(me)->run(call);
    };
    table.invoke = [](void* me, longshore_call call, longshore_bytes, longshore_bytes) {
      static_cast<Scripted*>(me)->run(call);
    };
    table.cancel = [](void*, longshore_call) {};
    table.writable = [](void*, longshore_call) {};
    table.stop = [](void* me, longshore_call call) { static_cast<Scripted*>(me)->run(call); };
    table.destroy = [](void* me) { ++static_cast<Scripted*>(me)->destroyed; };
    table_ = cut(table, script_.byte());
    *self = this;
    *functions = reinterpret_cast<const longshore_instance*>(table_.get());
    return LONGSHORE_OK;
  }

  int destroyed = 0;
  int expected_ends = 0;
  int ends = 0;

 private:
  static std::shared_ptr<const ModuleFacts> facts() {
    return std::make_shared<const ModuleFacts>();
  }

  // A few steps, and the end of the call if none of them was that.
  void run(longshore_call call) {
    calls_.push_back(call);
    for (int steps = script_.byte() % 8; steps > 0 && !script_.at_end(); --steps) step();
    host_->finish(host_, call, 0, {});
  }

  void step() {
    switch (script_.byte() % 9) {
      case 0: {
        const auto info = cut(longshore_call_info{}, script_.byte());
        host_->call_info(host_, call(), reinterpret_cast<longshore_call_info*>(info.get()));
        break;
      }
      case 1:
        host_->call_state(host_, call());
        break;
      case 2:
        host_->send(host_, call(), bytes());
        break;
      case 3:
        host_->finish(host_, call(), static_cast<int32_t>(script_.number()), bytes());
        break;
      case 4:
        invoke();
        break;
      case 5:
        host_->cancel(host_, invocation());
        break;
      case 6:
        host_->grant(host_, invocation(), static_cast<uint32_t>(script_.number()));
        break;
      case 7:
        host_->post(host_, script_.number() | int64_t{1} << 62,
                    (script_.byte() & 1) != 0 ? [](void*, longshore_result) {} : nullptr, this);
        break;
      default:
        host_->log(host_, static_cast<int32_t>(script_.number()), call(), bytes());
    }
  }

  void invoke() {
    longshore_invoke_request request{};
    const uint8_t size = script_.byte();
    const uint8_t choice = script_.byte();
    request.credit = script_.byte();
    request.parent = (choice & 1) != 0 ? call() : 0;
    request.timeout_ns = (choice & 2) != 0 ? script_.number() : 0;
    static constexpr const char* kMethod = "t.v1.T/Do";
    request.method = (choice & 4) != 0 ? longshore_bytes{kMethod, 9} : bytes();
    request.request = bytes();
    request.user = this;
    if ((choice & 8) != 0) request.on_message = [](void*, longshore_invocation, longshore_bytes) {};
    if ((choice & 16) == 0) {
      request.on_finish = [](void* me, longshore_invocation, longshore_status_code,
                             longshore_bytes) { ++static_cast<Scripted*>(me)->ends; };
    }
    const auto memory = cut(request, size);
    const auto* cut_request = reinterpret_cast<const longshore_invoke_request*>(memory.get());
    longshore_invocation handle = 0;
    const longshore_result answer =
        host_->invoke(host_, cut_request, (choice & 32) == 0 ? &handle : nullptr);
    if (answer != LONGSHORE_OK) return;
    ++expected_ends;
    invocations_.push_back(handle);
  }

  longshore_call call() { return pick(calls_); }
  longshore_invocation invocation() { return pick(invocations_); }
  uint64_t pick(const std::vector<uint64_t>& known) {
    const uint8_t choice = script_.byte();
    if (choice == 0) return 0;
    if (choice == 1 || known.empty()) return static_cast<uint64_t>(script_.number());
    return known[choice % known.size()];
  }

  // Some bytes; or none that there are, though the size says otherwise.
  longshore_bytes bytes() {
    const uint8_t size = script_.byte();
    if (size == 255) return {nullptr, 5};
    auto memory = std::make_unique<char[]>(size);
    for (uint8_t i = 0; i < size; ++i) memory[i] = static_cast<char>(script_.byte());
    const longshore_bytes made{memory.get(), size};
    texts_.push_back(std::move(memory));
    return made;
  }

  Script& script_;
  const longshore_host* host_ = nullptr;
  std::unique_ptr<char[]> table_;
  std::vector<uint64_t> calls_;
  std::vector<uint64_t> invocations_;
  std::vector<std::unique_ptr<char[]>> texts_;
};

class Counter final : public router::CallObserver {
 public:
  bool on_message(std::string) override { return true; }
  void on_response(std::string) override { ++outcomes; }
  void on_finish(StatusCode, std::string) override { ++outcomes; }
  int outcomes = 0;
};

struct World {
  World() {
    observe::LogOptions options;
    options.write = [](observe::Level, std::string_view) {};
    log = std::move(*observe::Log::open(options));
  }
  std::unique_ptr<observe::Log> log;
  router::Timers timers;
  router::Router router{timers, {}};
};

// Runs calls where they come from.
struct AtOnce final : router::CallRunner {
  bool takes(const router::Method&) const override { return true; }
  void run_soon(std::shared_ptr<router::Work> work, router::WorkerPool&) override { work->run(); }
};

void call_it(World& world, const std::shared_ptr<Instance>& instance) {
  auto method = std::make_shared<router::Method>();
  method->full_name = "t.v1.T/Do";
  method->service = "t.v1.T";
  world.router.set_routes(std::make_shared<router::RouteTable>(
      router::RouteTable{.by_method = {{method->full_name, router::Route{method, instance}}}}));
  const auto counter = std::make_shared<Counter>();
  router::CallRequest request;
  request.method = method->full_name;
  request.caller = std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
  request.observer = counter;
  AtOnce at_once;
  request.runner = &at_once;
  world.router.call(std::move(request));
  require(counter->outcomes == 1);
}

}  // namespace
}  // namespace longshore::loader

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace longshore::loader;
  static auto* world = new World;
  Script script(data, size);
  const auto code = std::make_shared<Scripted>(script);
  InstanceOptions options;
  options.name = "t";
  options.may_call = std::make_shared<const std::set<std::string, std::less<>>>(
      std::set<std::string, std::less<>>{"t.v1.T"});
  auto instance = Instance::create(code, std::move(options), world->router, *world->log);
  if (!instance) return 0;
  if ((*instance)->start("settings", {})) call_it(*world, *instance);
  const auto stopped =
      (*instance)->stop(longshore::router::Clock::now() + std::chrono::seconds(20));
  world->router.set_routes(std::make_shared<longshore::router::RouteTable>());
  require(!(*instance)->is_abandoned());
  require(code->destroyed == 1);
  require(code->ends == code->expected_ends);
  return 0;
}
