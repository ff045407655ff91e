// The heartbeat beside threads that go on, and beside threads that do not.
#include "main/service_watchdog.h"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "config/user_names.h"
#include "main/admin_target.h"
#include "router/module_wait.h"
#include "tests/support/eventually.h"

using namespace longshore;
using namespace longshore::test;
using namespace std::chrono_literals;

namespace {

// The threads that the heartbeat goes through.
class Threads {
 public:
  Threads() : io_thread_([this] { io.run(); }) {
    watchdog.emplace(
        10ms, ServiceWatchdog::Parts{timers, io, control.progress(), [this] { ++beats_; }, *log_});
  }
  ~Threads() {
    watchdog.reset();
    control.drain(router::Clock::now() + kPatience);
    io.stop();
    io_thread_.join();
  }

  bool beats() {
    const int before = beats_;
    return eventually([&] { return beats_ >= before + 5; });
  }
  // Five times in a row there is a complaint where a beat was due. Not at once: a beat may have
  // been on its way, and a busy machine holds up threads as well.
  bool complains() {
    return eventually([&] {
      const int before = beats_;
      const int wanted = complaints_ + 5;
      return eventually([&] { return complaints_ >= wanted; }) && beats_ == before;
    });
  }

  boost::asio::io_context io{1};  // outlives the timers, which post to it
  router::Timers timers;
  AdminTarget control{timers, "control", {}, {}, {}};
  std::optional<ServiceWatchdog> watchdog;

 private:
  const std::unique_ptr<observe::Log> log_ =
      observe::Log::open({.write = [this](observe::Level, std::string_view) {
        ++complaints_;
      }}).value();
  std::atomic<int> beats_{0};
  std::atomic<int> complaints_{0};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{io.get_executor()};
  std::thread io_thread_;
};

// A thread is held up until this is opened.
class Gate {
 public:
  void pass() { opened_.get_future().wait(); }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> opened_;
};

// Windows does not tell an empty variable from none.
void set_variable(const char* name, const std::string& value) {
#if defined(_WIN32)
  _putenv_s(name, value.c_str());
#else
  setenv(name, value.c_str(), 1);
#endif
}
void unset_variable(const char* name) {
#if defined(_WIN32)
  _putenv_s(name, "");
#else
  unsetenv(name);
#endif
}

// What a service manager sets, for as long as this lives.
struct Environment {
  Environment(const std::string& period, const std::string& process) {
    set_variable("WATCHDOG_USEC", period);
    if (!process.empty()) set_variable("WATCHDOG_PID", process);
  }
  ~Environment() {
    unset_variable("WATCHDOG_USEC");
    unset_variable("WATCHDOG_PID");
  }
};

}  // namespace

TEST_CASE("The heartbeat goes on while nothing is done, and while much is") {
  std::atomic<bool> over{false};
  std::function<void()> again;
  Threads threads;
  CHECK(threads.beats());
  again = [&] {
    if (!over) threads.control.post(again);
  };
  threads.control.post(again);
  CHECK(threads.beats());
  over = true;
}

TEST_CASE("A control thread that is held up ends the heartbeat until it goes on") {
  Threads threads;
  Gate gate;
  threads.control.post([&] { gate.pass(); });
  CHECK(threads.complains());
  gate.open();
  CHECK(threads.beats());
}

TEST_CASE("A control thread that waits for a module does not") {
  Threads threads;
  Gate gate;
  std::atomic<bool> waits{false};
  threads.control.post([&] {
    const router::ModuleWait wait;
    waits = true;
    gate.pass();
  });
  REQUIRE(eventually([&] { return waits.load(); }));
  CHECK(threads.beats());
  gate.open();
}

TEST_CASE("A held-up I/O thread ends the heartbeat until it goes on") {
  Threads threads;
  Gate gate;
  boost::asio::post(threads.io, [&] { gate.pass(); });
  CHECK(threads.complains());
  gate.open();
  CHECK(threads.beats());
}

TEST_CASE("Once the agent is ending, the control thread does not matter") {
  Threads threads;
  Gate gate;
  threads.control.post([&] { gate.pass(); });
  threads.watchdog->end_of_control();
  CHECK(threads.beats());
  gate.open();
}

TEST_CASE("There is a heartbeat only where the manager wants one of this very process") {
  CHECK_FALSE(ServiceWatchdog::period_of_environment());
  const std::string own = std::to_string(config::own_process_id());
  {
    const Environment wanted("20000", own);
    CHECK(ServiceWatchdog::period_of_environment() == 20ms);
  }
  {
    const Environment of_any("20000", "");
    CHECK(ServiceWatchdog::period_of_environment() == 20ms);
  }
  for (const auto& [period, process] :
       std::initializer_list<std::pair<std::string, std::string>>{{"20000", "1"},
                                                                  {"20000", "x"},
                                                                  {"20000", own + "x"},
                                                                  {"0", own},
                                                                  {"-5", own},
                                                                  {"", own},
                                                                  {"20s", own},
                                                                  {"99999999999999999999", own}}) {
    CAPTURE(period, process);
    const Environment wrong(period, process);
    CHECK_FALSE(ServiceWatchdog::period_of_environment());
  }
}
