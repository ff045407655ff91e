// What becomes of a driver, as longshore.host.v1.Csi/WatchDriver tells it and as a condition of
// controllers. The driver is a process of the gRPC C++ library.
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "csi/driver_name.h"
#include "tests/support/csi_driver_process.h"
#include "tests/support/eventually.h"
#include "tests/unit/csi/csi_world.h"

namespace longshore::csi {
namespace {

using router::Recorder;
using Names = std::vector<std::string>;

constexpr const char* kWatch = "longshore.host.v1.Csi/WatchDriver";

struct Told {
  Names states;        // without those that differ from the one before in their reason alone
  std::string reason;  // of the last
};

Told told(const Recorder& recorder) {
  Told all;
  for (const std::string& message : recorder.received.get().messages) {
    host::v1::CsiDriverState state;
    REQUIRE(state.ParseFromString(message));
    const std::string name =
        host::v1::CsiDriverState::State_Name(state.state()).substr(sizeof("STATE_") - 1);
    if (all.states.empty() || all.states.back() != name) all.states.push_back(name);
    all.reason = state.reason();
  }
  return all;
}

bool comes_to(const Recorder& recorder, const std::string& state, const std::string& reason = {}) {
  return test::eventually([&] {
    const Told all = told(recorder);
    return !all.states.empty() && all.states.back() == state && contains(all.reason, reason);
  });
}

struct WatchWorld : CsiWorld {
  std::shared_ptr<router::Call> begin(const std::shared_ptr<Recorder>& recorder,
                                      const std::string& address) {
    host::v1::WatchCsiDriverRequest watched;
    watched.set_address(address);
    return world.call(kWatch, watched.SerializeAsString(), recorder);
  }
  std::shared_ptr<Recorder> watch(const std::string& address) {
    const auto recorder = std::make_shared<Recorder>();
    REQUIRE(begin(recorder, address));
    return recorder;
  }
  std::shared_ptr<services::RunCondition> condition(const std::string& controller,
                                                    const std::string& address) const {
    config::ModuleSettings settings;
    settings.name = controller;
    settings.is_controller = true;
    settings.wait_for_driver = address;
    return service->run_condition(settings);
  }

  size_t logged(const std::string& text) const {
    const auto lines = world.lines.get();
    return static_cast<size_t>(
        std::ranges::count_if(lines, [&](const auto& line) { return contains(line, text); }));
  }

  test::Driver driver{folder};
};

}  // namespace

TEST_CASE_METHOD(WatchWorld,
                 "A driver is absent, connected, ready, lost and ready again, in order") {
  driver.answer("not-ready");
  const auto reader = watch("unix://" + path);
  CHECK(comes_to(*reader, "ABSENT", "No such file or directory; see whether the driver runs"));
  driver.run();
  CHECK(comes_to(*reader, "CONNECTED", "the CSI driver at \"" + path + "\" is not ready"));
  driver.answer("ready");
  CHECK(comes_to(*reader, "READY"));
  CHECK(told(*reader).reason.empty());
  driver.kill();
  CHECK(comes_to(*reader, "LOST", "is lost: the connection has ended: "));
  CHECK(comes_to(*reader, "LOST", "Connection refused; nobody listens there"));
  driver.run();
  CHECK(comes_to(*reader, "READY"));
  CHECK(told(*reader).states ==
        Names{"ABSENT", "CONNECTED", "READY", "LOST", "CONNECTED", "READY"});
}

TEST_CASE_METHOD(WatchWorld, "One that hangs in Probe is asked again; one probe at a time") {
  driver.answer("hang");
  driver.run();
  const auto reader = watch(path);
  CHECK(comes_to(*reader, "CONNECTED", "has not answered Probe yet"));
  CHECK(comes_to(*reader, "CONNECTED", "did not answer Probe within 3 seconds"));
  CHECK(test::eventually([&] { return driver.count("cancelled") == 1; }));
  CHECK(driver.count("probe") == 1);
  driver.answer("ready");
  CHECK(comes_to(*reader, "READY"));
}

TEST_CASE_METHOD(WatchWorld, "What a driver answers that is not ready is told, and its end") {
  driver.answer("error 13 the disk is away");
  driver.run();
  const auto reader = watch(path);
  CHECK(comes_to(*reader, "CONNECTED",
                 "cannot probe the CSI driver at \"" + path + "\": the disk is away"));
  driver.answer("error 0");
  CHECK(comes_to(*reader, "CONNECTED", "without its response"));
  driver.answer("crash");
  CHECK(comes_to(*reader, "ABSENT", "nobody listens there"));
  CHECK(told(*reader).states == Names{"CONNECTED", "ABSENT"});
}

TEST_CASE_METHOD(WatchWorld, "A driver without the field ready is ready") {
  driver.answer("unset");
  driver.run();
  CHECK(comes_to(*watch(path), "READY"));
}

TEST_CASE_METHOD(WatchWorld, "A socket that is silent is connected, and absent when it is closed") {
  auto silent = std::make_unique<SilentDriver>(path);
  const auto reader = watch(path);
  CHECK(comes_to(*reader, "CONNECTED", "did not answer Probe within 3 seconds"));
  silent.reset();
  CHECK(comes_to(*reader, "ABSENT"));
}

TEST_CASE_METHOD(WatchWorld, "What is no driver's socket is absent, and told of as what it is") {
  std::filesystem::create_directory(path);
  CHECK(comes_to(*watch(path), "ABSENT", "it is a folder"));
  boost::asio::io_context io;
  const std::string own = folder / "own.sock";
  const Local::acceptor acceptor(io, Local::endpoint(own));
  CHECK(comes_to(*watch(own), "ABSENT", "the agent itself listens there"));
}

TEST_CASE_METHOD(WatchWorld, "A watch of no address, or that is no request, is refused") {
  for (const std::string address : {"", "csi.sock", "127.0.0.1:50051"}) {
    const auto refused = watch(address);
    REQUIRE(refused->await());
    CHECK(refused->code() == StatusCode::kInvalidArgument);
  }
  CHECK(world.ask(kWatch, "\xff\xff")->code() == StatusCode::kInvalidArgument);
}

TEST_CASE_METHOD(WatchWorld, "However many watch a driver, it is probed once, until nobody does") {
  driver.run();
  const auto first = std::make_shared<Recorder>();
  const auto second = std::make_shared<Recorder>();
  const auto first_call = begin(first, path);
  const auto second_call = begin(second, "unix:" + path);
  CHECK(comes_to(*first, "READY"));
  CHECK(comes_to(*second, "READY"));
  CHECK(driver.count("probe") == 1);
  first_call->cancel();
  CHECK(first->code() == StatusCode::kCancelled);
  const auto third = std::make_shared<Recorder>();
  const auto third_call = begin(third, path);
  CHECK(comes_to(*third, "READY"));
  CHECK(told(*third).states == Names{"READY"});
  CHECK(driver.count("probe") == 1);
  second_call->cancel();
  third_call->cancel();
  CHECK(comes_to(*watch(path), "READY"));
  CHECK(driver.count("probe") == 2);
}

TEST_CASE_METHOD(WatchWorld, "A driver that is ready is left in peace") {
  driver.run();
  const auto reader = watch(path);
  CHECK(comes_to(*reader, "READY"));
  // Others are asked and looked for meanwhile.
  const SilentDriver silent(folder / "silent.sock");
  CHECK(comes_to(*watch(folder / "silent.sock"), "CONNECTED", "within 3 seconds"));
  CHECK(driver.count("probe") == 1);
  CHECK(told(*reader).states == Names{"CONNECTED", "READY"});
}

TEST_CASE_METHOD(WatchWorld, "Who reads slowly hears the latest state alone") {
  const auto reader = std::make_shared<Recorder>();
  reader->has_room = false;  // after each message
  const auto call = begin(reader, path);
  CHECK(comes_to(*reader, "ABSENT"));
  driver.run();
  const auto other = watch(path);
  CHECK(comes_to(*other, "READY"));
  CHECK(told(*reader).states == Names{"ABSENT"});
  reader->has_room = true;
  call->resume();
  CHECK(told(*reader).states == Names{"ABSENT", "READY"});
}

TEST_CASE_METHOD(WatchWorld, "The end of the service ends watches, also in the middle of a probe") {
  driver.answer("hang");
  driver.run();
  const auto hanging = watch(path);
  CHECK(comes_to(*hanging, "CONNECTED"));
  const auto absent = watch(folder / "absent.sock");
  CHECK(comes_to(*absent, "ABSENT"));
  service->stop();
  for (const auto& each : {hanging, absent, watch(path)}) {
    REQUIRE(each->await());
    CHECK(each->code() == StatusCode::kUnavailable);
    CHECK(contains(each->text(), "the agent is ending"));
  }
  CHECK_FALSE(condition("late", path)->state().is_met);
}

TEST_CASE_METHOD(WatchWorld, "There is a bound for the drivers that calls watch") {
  std::vector<std::shared_ptr<Recorder>> readers;
  for (size_t i = 0; i < DriverWatches::kMaxWatches; ++i) {
    readers.push_back(watch(path + std::to_string(i)));
  }
  const auto late = watch(path);
  REQUIRE(late->await());
  CHECK(late->code() == StatusCode::kResourceExhausted);
  CHECK(contains(late->text(), "16 others are watched"));
  CHECK(comes_to(*watch(path + '0'), "ABSENT"));  // it is watched already
}

TEST_CASE_METHOD(WatchWorld, "A controller's condition is met while the driver is ready") {
  CHECK(condition("free", "") == nullptr);
  const auto waits = condition("attacher", path);
  CHECK(condition("resizer", "unix://" + path) == waits);
  CHECK(condition("other", folder / "other.sock") != waits);
  const auto becomes = [&](bool is_met, const std::string& reason) {
    return test::eventually([&] {
      const auto state = waits->state();
      return state.is_met == is_met && contains(state.reason, reason) && !state.fence;
    });
  };
  CHECK(becomes(false, "No such file or directory"));
  const std::string address = "address=unix://" + path;
  CHECK(logged(" waits for the CSI driver " + address + " reason=\"No such file or directory\"") ==
        1);
  CHECK(logged("the CSI driver is reached") == 0);
  driver.run();
  CHECK(becomes(true, ""));
  CHECK(logged("the CSI driver is reached " + address) == 1);
  const auto reader = watch(path);
  CHECK(comes_to(*reader, "READY"));
  CHECK(driver.count("probe") == 1);   // of one watch for all
  CHECK(driver.process->stop() == 0);  // it says GOAWAY before its connections end
  CHECK(becomes(false, "is lost"));
  driver.run();
  CHECK(becomes(true, ""));
}

TEST_CASE("A driver's name is read of what may be no answer") {
  CHECK(driver_name_in("\x0a\x03"
                       "a.b\x12\x01"
                       "1") == "a.b");
  CHECK(driver_name_in("\x12\x01"
                       "1")
            .empty());
  CHECK(driver_name_in("\x0a\x09"
                       "a.b")
            .empty());
  CHECK(driver_name_in("").empty());
  CHECK(driver_name_in("\x0a\x3f" + std::string(63, 'a')) == std::string(63, 'a'));
  CHECK(driver_name_in("\x0a\x40" + std::string(64, 'a')).empty());
}

TEST_CASE_METHOD(WatchWorld, "A driver tells its name, or why there is none") {
  const auto asked = [&](const std::string& address) {
    auto answer = std::make_shared<std::promise<Result<std::string>>>();
    auto name = answer->get_future();
    service->ask_name(
        address, [answer](Result<std::string> result) { answer->set_value(std::move(result)); });
    REQUIRE(name.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
    return name.get();
  };
  CHECK_THAT(asked("127.0.0.1:1").error().message(), Catch::Contains("it is a TCP address"));
  CHECK(asked(path).error().code() == StatusCode::kUnavailable);
  driver.run("other.csi.example");
  CHECK(test::eventually([&] {
    const auto name = asked(path);
    return name && *name == "other.csi.example";
  }));
  service->stop();
  CHECK_THAT(asked(path).error().message(), Catch::Contains("the agent is ending"));
}

TEST_CASE_METHOD(WatchWorld, "A driver is watched as long as a controller waits for it") {
  driver.run();
  const auto waits = condition("attacher", path);
  condition("resizer", path);
  CHECK(test::eventually([&] { return waits->state().is_met; }));
  service->modules_changed({{.name = "attacher", .is_controller = true}});
  CHECK(condition("attacher", path) == waits);
  // By a reload it waits for another.
  condition("attacher", folder / "other.sock");
  service->modules_changed({{.name = "attacher", .is_controller = true}});
  CHECK(comes_to(*watch(folder / "other.sock"), "ABSENT"));  // after the end of the first watch
  const auto anew = condition("resizer", path);
  CHECK(anew != waits);
  CHECK(test::eventually([&] { return anew->state().is_met; }));
  CHECK(driver.count("probe") == 2);  // by a watch of its own: the first has ended
  service->modules_changed({});
  CHECK(condition("resizer", path) != anew);
}

}  // namespace longshore::csi
