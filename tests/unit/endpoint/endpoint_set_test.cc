// Endpoints that cannot be opened beside others that serve.
#include "endpoint/endpoint_set.h"

#include <boost/asio/local/stream_protocol.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <optional>

#include "tests/support/eventually.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/endpoint/no_calls.h"

namespace longshore::endpoint {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using Catch::Contains;
using Local = asio::local::stream_protocol;
using OnFailure = EndpointSet::OnFailure;
using std::chrono::seconds;

// Goes off when a test says so.
struct TestClock {
  class TestAlarm final : public Alarm {
   public:
    explicit TestAlarm(TestClock& clock) : clock_(clock) {}
    void set(seconds time, std::function<void()> action) override {
      clock_.after = time;
      clock_.then = std::move(action);
    }
    void clear() override { clock_.after.reset(); }

   private:
    TestClock& clock_;
  };

  void go_off() {
    REQUIRE(after);
    after.reset();
    const auto now = std::exchange(then, nullptr);
    now();
  }

  std::optional<seconds> after;  // nothing: it is not set
  std::function<void()> then;
};

class SetOfEndpoints {
 public:
  SetOfEndpoints() { REQUIRE(log); }
  ~SetOfEndpoints() { set.close(); }

  std::string path(const std::string& name) const {
    return directory / (name + "/" + name + ".sock");
  }
  std::vector<EndpointOptions> wanted(const std::vector<std::string>& names) const {
    std::vector<EndpointOptions> all;
    for (const std::string& name : names) {
      all.push_back({.name = name});
      all.back().listener.path = path(name);
    }
    return all;
  }
  void apply(const std::vector<std::string>& names) {
    REQUIRE(set.prepare(wanted(names), OnFailure::kGoOn));
    set.commit();
  }
  void put_file(const std::string& name) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    test::write_file(path(name), "precious");
  }
  // "one, two", those that listen.
  std::string listening() const {
    std::string names;
    for (const auto& each : set.list()) {
      if (each.listens()) names += (names.empty() ? "" : ", ") + each.name;
    }
    return names;
  }
  std::string reason_of(const std::string& name) const {
    for (const auto& each : set.list()) {
      if (each.name == name) return each.reason;
    }
    return "there is none";
  }
  bool lets_in(const std::string& name) {
    Local::socket socket(io);
    boost::system::error_code error;
    socket.connect(Local::endpoint(path(name)), error);
    return !error;
  }
  size_t complaints() const { return (*log)->problems().all().size(); }

  test::TemporaryDirectory directory;
  TestClock clock;
  asio::io_context io;
  router::Timers timers;
  router::Router router{timers, {}};
  NoCalls runner;
  const loader::CatalogHolder catalog;
  Result<std::unique_ptr<observe::Log>> log = observe::Log::open({.file = directory / "log"});
  EndpointSet set{{io, router, runner, nullptr, catalog, **log},
                  {},
                  std::make_unique<TestClock::TestAlarm>(clock)};
};

TEST_CASE("One bad endpoint is tried again, ever later, while the others serve") {
  SetOfEndpoints world;
  world.put_file("two");
  world.apply({"one", "two", "three"});
  CHECK(world.listening() == "one, three");
  CHECK(world.lets_in("one"));
  CHECK(world.lets_in("three"));
  CHECK_THAT(world.reason_of("two"), Contains("something that is not a socket"));
  for (const int after : {1, 2, 4, 8, 16, 32, 60, 60}) {
    CHECK(world.clock.after == seconds(after));
    world.clock.go_off();
  }
  CHECK(world.complaints() == 1);  // for as long as the reason is the same
  CHECK(fs::file_size(world.path("two")) == 8);

  fs::remove(world.path("two"));
  fs::create_symlink("elsewhere", world.path("two"));
  world.clock.go_off();
  CHECK_THAT(world.reason_of("two"), Contains("a link, which is not followed"));
  CHECK(world.complaints() == 2);

  fs::remove(world.path("two"));
  world.clock.go_off();
  CHECK(world.listening() == "one, three, two");
  CHECK(world.reason_of("two").empty());
  CHECK(world.lets_in("two"));
  CHECK_FALSE(world.clock.after);  // an agent that nobody talks to does not wake up
}

TEST_CASE("An endpoint waits for another process that listens in its place") {
  SetOfEndpoints world;
  fs::create_directories(fs::path(world.path("one")).parent_path());
  asio::io_context other_io;
  Local::acceptor other(other_io, Local::endpoint(world.path("one")));
  world.apply({"one", "two"});
  CHECK(world.listening() == "two");
  CHECK_THAT(world.reason_of("one"), Contains("listens on it"));
  other.close();
  world.clock.go_off();
  CHECK(world.listening() == "one, two");
}

TEST_CASE("A socket that somebody removes or replaces is told, and served again") {
  SetOfEndpoints world;
  world.apply({"one", "two"});
  world.io.poll();
  CHECK(world.complaints() == 0);
  CHECK_FALSE(world.clock.after);
  Local::socket client(world.io);
  client.connect(Local::endpoint(world.path("one")));
  const auto is_told = [&] {
    return test::eventually([&] {
      world.io.restart();
      world.io.poll();
      return world.listening() == "two";
    });
  };
  SECTION("removed") { fs::remove(world.path("one")); }
  SECTION("removed with its folder") { fs::remove_all(fs::path(world.path("one")).parent_path()); }
  SECTION("moved away") { fs::rename(world.path("one"), world.path("one") + ".old"); }
  SECTION("replaced") {
    fs::remove(world.path("one"));
    fs::create_symlink("elsewhere", world.path("one"));
  }
  REQUIRE(is_told());
  CHECK_THAT(world.reason_of("one"), Contains("somebody has removed or replaced"));
  CHECK(world.complaints() == 1);
  CHECK(world.clock.after == seconds(1));
  if (fs::is_symlink(world.path("one"))) {
    world.clock.go_off();
    CHECK_THAT(world.reason_of("one"), Contains("there is a link"));
    CHECK(world.clock.after == seconds(2));
    fs::remove(world.path("one"));
  }
  world.clock.go_off();
  CHECK(world.listening() == "one, two");
  CHECK_FALSE(world.clock.after);
  CHECK(world.lets_in("one"));
  // Who was connected goes on.
  client.non_blocking(true);
  world.io.restart();
  world.io.poll();
  char byte = 0;
  boost::system::error_code end;
  for (; !end;) client.read_some(asio::buffer(&byte, 1), end);
  CHECK(end == asio::error::would_block);
  // And again.
  fs::remove(world.path("one"));
  REQUIRE(is_told());
  world.clock.go_off();
  CHECK(world.lets_in("one"));
}

TEST_CASE("A change of the configuration finds a socket that is not in its place") {
  SetOfEndpoints world;
  world.apply({"one", "two"});
  SECTION("and makes it again") {
    fs::remove(world.path("one"));
    world.apply({"one", "two"});
    CHECK(world.listening() == "one, two");
    CHECK_FALSE(world.clock.after);
    CHECK(world.lets_in("one"));
  }
  SECTION("or tries it again") {
    fs::remove(world.path("one"));
    world.put_file("one");
    world.apply({"one", "two"});
    CHECK(world.listening() == "two");
    CHECK(world.clock.after == seconds(1));
  }
}

TEST_CASE("Where all are wanted, one bad endpoint leaves none behind") {
  SetOfEndpoints world;
  world.put_file("two");
  const auto prepared = world.set.prepare(world.wanted({"one", "two"}), OnFailure::kGiveUp);
  REQUIRE_FALSE(prepared);
  CHECK_THAT(prepared.error().message(), Contains("something that is not a socket"));
  CHECK(world.set.list().empty());
  CHECK_FALSE(fs::exists(world.path("one")));
  CHECK_FALSE(world.clock.after);
}

TEST_CASE("A change of the configuration tries a bad endpoint at once, or forgets it") {
  SetOfEndpoints world;
  world.put_file("two");
  world.apply({"one", "two"});
  world.clock.go_off();
  CHECK(world.clock.after == seconds(2));
  SECTION("it is still bad, which is told once") {
    world.apply({"one", "two"});
    CHECK(world.clock.after == seconds(1));
    CHECK(world.complaints() == 1);
  }
  SECTION("it can be had now") {
    fs::remove(world.path("two"));
    world.apply({"one", "two"});
    CHECK(world.listening() == "one, two");
    CHECK_FALSE(world.clock.after);
  }
  SECTION("it is not wanted any more") {
    world.apply({"one"});
    CHECK(world.set.list().size() == 1);
    CHECK_FALSE(world.clock.after);
  }
}

TEST_CASE("A change that is given up leaves bad endpoints to be tried again") {
  SetOfEndpoints world;
  world.put_file("two");
  world.apply({"one", "two"});
  REQUIRE(world.set.prepare(world.wanted({"three"}), OnFailure::kGoOn));
  CHECK_FALSE(world.clock.after);
  world.set.roll_back();
  CHECK(world.listening() == "one");
  fs::remove(world.path("two"));
  world.clock.go_off();
  CHECK(world.listening() == "one, two");
}

TEST_CASE("Nothing is tried again once the endpoints end") {
  SetOfEndpoints world;
  world.put_file("one");
  world.apply({"one"});
  bool is_drained = false;
  SECTION("drained") {
    world.set.drain([&] { is_drained = true; });
  }
  SECTION("closed") {
    world.set.close();
    is_drained = true;
  }
  CHECK(is_drained);
  CHECK_FALSE(world.clock.after);
}

TEST_CASE("An alarm goes off once, unless it is cleared or set anew") {
  asio::io_context io;
  const auto alarm = make_alarm(io);
  int rings = 0;
  alarm->set(seconds(0), [&] { rings += 1; });
  alarm->set(seconds(0), [&] { rings += 10; });
  io.run();
  CHECK(rings == 10);
  alarm->set(seconds(0), [&] { rings += 100; });
  alarm->clear();
  io.restart();
  io.run();
  CHECK(rings == 10);
}

}  // namespace
}  // namespace longshore::endpoint
