// A method that a thousand read at once, one of them never: a module of the SDK's wrapper, which
// holds no thread for any of them, in an instance of the agent's.
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "loader/instance.h"
#include "longshore/module.hpp"
#include "tests/support/eventually.h"
#include "tests/unit/router/test_target.h"

namespace longshore::loader {
namespace {

using namespace std::chrono_literals;
using module::v1::Strings;
using test::eventually;

const std::string kFeed = "acme.feed.v1.Feed";
const std::string kWatch = kFeed + "/Watch";
const std::string kPublish = kFeed + "/Publish";

// Sends each reader the last of the news, as soon as there is room for it.
class FeedModule final : public Module {
 public:
  FeedModule() { last = this; }
  Result<void> start(const Settings&, std::string_view) override {
    add_service(kFeed, *this)
        .async_stream("Watch", &FeedModule::watch)
        .unary("Publish", &FeedModule::publish);
    return {};
  }

  void watch(Context, const Strings&, StreamReply<Strings> reply) {
    const std::lock_guard lock(mutex_);
    const uint64_t id = ++last_id_;
    FeedReader& reader = readers_.try_emplace(id, std::move(reply)).first->second;
    reader.reply.on_ready([this, id] { send_to(id); });
    reader.reply.on_cancel([this, id] { forget(id); });
  }
  Result<Strings> publish(Context, const Strings&) {
    const std::lock_guard lock(mutex_);
    ++news_;
    for (auto& [id, reader] : readers_) send_to(reader);
    return Strings();
  }

  size_t readers() const {
    const std::lock_guard lock(mutex_);
    return readers_.size();
  }

  static inline FeedModule* last = nullptr;  // made

 private:
  struct FeedReader {
    explicit FeedReader(StreamReply<Strings> given) : reply(std::move(given)) {}
    StreamReply<Strings> reply;
    uint64_t has = 0;
  };

  void send_to(uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = readers_.find(id);
    if (found != readers_.end()) send_to(found->second);
  }
  void send_to(FeedReader& reader) const {
    if (reader.has == news_) return;
    Strings message;
    message.add_values(std::to_string(news_));
    if (reader.reply.send(message) == Sent::kYes) reader.has = news_;
  }
  void forget(uint64_t id) {
    const std::lock_guard lock(mutex_);
    readers_.erase(id);
  }

  mutable std::mutex mutex_;
  uint64_t last_id_ = 0;
  uint64_t news_ = 0;
  std::map<uint64_t, FeedReader> readers_;
};

class FeedCode final : public ModuleCode {
 public:
  FeedCode() : ModuleCode(std::make_shared<ModuleFacts>()) {}
  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    return longshore::detail::Trampolines<FeedModule>::create(host, self, functions);
  }
};

// Has room for one message, and then for no more until the test says so.
class Subscriber final : public router::CallObserver {
 public:
  bool on_message(std::string bytes) override {
    Strings message;
    CHECK(message.ParseFromString(bytes));
    got = std::stoull(message.values(0));
    ++messages;
    is_full = true;
    return false;
  }
  void on_response(std::string) override {}
  void on_finish(StatusCode code, std::string) override { outcome = code; }

  void read() {
    if (is_full.exchange(false)) call->resume();
  }

  std::shared_ptr<router::Call> call;
  std::atomic<bool> is_full = false;
  std::atomic<uint64_t> got = 0;
  std::atomic<uint64_t> messages = 0;
  std::atomic<StatusCode> outcome = StatusCode::kOk;
};

constexpr size_t kSubscribers = 1000;

struct FeedWorld {
  FeedWorld() {
    InstanceOptions options;
    options.name = "feed";
    options.max_concurrent_calls = 2;
    options.max_open_streams = kSubscribers;
    instance = Instance::create(code, options, router, *log).value();
    REQUIRE(instance->start({}, {}));
    auto routes = std::make_shared<router::RouteTable>();
    for (const std::string& name : {kWatch, kPublish}) {
      auto method = std::make_shared<router::Method>();
      method->service = kFeed;
      method->full_name = name;
      method->name = name.substr(kFeed.size() + 1);
      method->server_streaming = method->long_running = name == kWatch;
      routes->by_method.insert({name, router::Route{method, instance}});
    }
    router.set_routes(std::move(routes));
  }

  std::shared_ptr<router::Call> call(const std::string& method,
                                     std::shared_ptr<router::CallObserver> observer) {
    router::CallRequest request;
    request.method = method;
    request.caller = std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
    request.observer = std::move(observer);
    return router.call(std::move(request));
  }
  void publish() {
    const auto recorder = std::make_shared<router::Recorder>();
    call(kPublish, recorder);
    REQUIRE(recorder->await());
    CHECK(recorder->code() == StatusCode::kOk);
  }

  const std::shared_ptr<FeedCode> code = std::make_shared<FeedCode>();
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  router::Timers timers;
  router::Router router{timers, {}};
  std::shared_ptr<Instance> instance;
};

TEST_CASE_METHOD(FeedWorld,
                 "A thousand read a stream on hardly a thread, and one that stalls "
                 "holds up none of the others") {
  constexpr uint64_t kNews = 20;
  std::vector<std::shared_ptr<Subscriber>> subscribers;
  for (size_t i = 0; i < kSubscribers; ++i) {
    subscribers.push_back(std::make_shared<Subscriber>());
    subscribers.back()->call = call(kWatch, subscribers.back());
    // One after another, so that no backlog asks for threads.
    REQUIRE(eventually([&] { return FeedModule::last->readers() == i + 1; }));
  }
  const auto stalled = subscribers.front();
  for (uint64_t i = 0; i < kNews; ++i) publish();
  for (const auto& each : subscribers) {
    if (each == stalled) continue;
    REQUIRE(eventually([&] {
      each->read();
      return each->got == kNews;
    }));
  }
  CHECK(stalled->messages == 1);
  CHECK(stalled->got == 1);
  CHECK(instance->figures().running == kSubscribers);
  CHECK(instance->figures().threads <= 2);
  const auto one_more = std::make_shared<router::Recorder>();
  call(kWatch, one_more);
  REQUIRE(one_more->await());
  CHECK(one_more->code() == StatusCode::kResourceExhausted);

  // Some go, and the instance ends those that stay.
  for (size_t i = 0; i < kSubscribers; i += 2) subscribers[i]->call->cancel();
  CHECK(eventually([] { return FeedModule::last->readers() == kSubscribers / 2; }));
  CHECK(instance->stop(router::Clock::now() + 10s));
  for (size_t i = 0; i < kSubscribers; ++i) {
    CHECK(subscribers[i]->outcome ==
          (i % 2 == 0 ? StatusCode::kCancelled : StatusCode::kUnavailable));
    subscribers[i]->call = nullptr;  // which holds it
  }
  CHECK(instance->figures().violations == 0);
}

}  // namespace
}  // namespace longshore::loader
