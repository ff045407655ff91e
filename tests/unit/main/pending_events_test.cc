#include "main/pending_events.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "router/router.h"
#include "tests/unit/router/test_target.h"

namespace longshore {
namespace {

using Messages = std::vector<std::string>;

// A reader who has room for one message, and then for as many as he says.
struct SlowReader {
  SlowReader() {
    observer->has_room = false;
    auto method = std::make_shared<router::Method>();
    method->full_name = "test.Service/Serve";
    method->server_streaming = true;
    router::CallRequest request;
    request.caller = std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
    request.timeout = std::chrono::hours(1);
    request.observer = observer;
    call = router.call_directly(target, method, std::move(request));
    call->run();
    pending.listening(*call, "listening");
  }
  // As his target does.
  void read_one() {
    call->resume();
    pending.resume(*call);
  }
  Messages read_all() {
    size_t before = 0;
    do {
      before = observer->received.get().messages.size();
      read_one();
    } while (observer->received.get().messages.size() > before);
    return observer->received.get().messages;
  }

  router::Timers timers;
  router::Router router{timers, {}};
  std::shared_ptr<router::TestTarget> target = std::make_shared<router::TestTarget>();
  std::shared_ptr<router::Recorder> observer = std::make_shared<router::Recorder>();
  std::shared_ptr<router::Call> call;
  PendingEvents pending;
};

}  // namespace

TEST_CASE_METHOD(SlowReader, "What a reader has no room for is told in order as room comes") {
  CHECK(pending.request(*call, 1, "request 1"));
  pending.listening(*call, "listening again");
  pending.listening(*call, "listening again");  // one that waits is enough
  CHECK(pending.request(*call, 2, "request 2"));
  CHECK(observer->received.get().messages == Messages{"listening"});
  read_one();
  CHECK(observer->received.get().messages == Messages{"listening", "request 1"});
  pending.gone(*call, 1, "gone 1");
  CHECK(read_all() == Messages{"listening", "request 1", "listening again", "request 2", "gone 1"});
}

TEST_CASE_METHOD(SlowReader, "A request that goes before it was told is never told of") {
  CHECK(pending.request(*call, 1, "request 1"));
  CHECK(pending.request(*call, 2, "request 2"));
  pending.gone(*call, 1, "gone 1");
  CHECK(read_all() == Messages{"listening", "request 2"});
}

TEST_CASE_METHOD(SlowReader, "No more wait than the bounds say, in number and in bytes") {
  SECTION("number") {
    for (size_t id = 0; id < PendingEvents::kMaxRequests; ++id) {
      CHECK(pending.request(*call, id, "request"));
    }
    CHECK_FALSE(pending.request(*call, 1000, "request"));
  }
  SECTION("bytes") {
    CHECK(pending.request(*call, 1, std::string(PendingEvents::kMaxRequestBytes - 1, 'x')));
    CHECK(pending.request(*call, 2, "x"));
    CHECK_FALSE(pending.request(*call, 3, "x"));
  }
  // There is room again as they are told, or go.
  read_one();
  CHECK(pending.request(*call, 1001, "x"));
}

TEST_CASE_METHOD(SlowReader, "Nothing is kept for a reader that has ended") {
  CHECK(pending.request(*call, 1, std::string(PendingEvents::kMaxRequestBytes, 'x')));
  call->finish(StatusCode::kOk, {});
  pending.remove(*call);
  // What comes late finds room, and is not kept either.
  CHECK(pending.request(*call, 2, std::string(PendingEvents::kMaxRequestBytes, 'x')));
  CHECK(pending.request(*call, 3, std::string(PendingEvents::kMaxRequestBytes, 'x')));
  CHECK(observer->received.get().messages == Messages{"listening"});
}

}  // namespace longshore
