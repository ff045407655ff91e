// An agent some of whose allocations fail, and what its clients were told.
//
// Threads: one.
#pragma once

#include <signal.h>

#include <algorithm>
#include <boost/system/system_error.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "tests/faults/fault_injection.h"
#include "tests/faults/told_clients.h"
#include "tests/integration/control_requests.h"
#include "tests/integration/echo_requests.h"
#include "tests/support/agent_process.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

namespace longshore::test {

// As many allocations in each part of its life.
inline constexpr uint64_t kLast = 20'000;

inline const std::string kEchoService = "longshore.echo.v1.Echo/";
inline const std::string kAdminService = "longshore.admin.v1.Admin/";

// An agent whose allocations fail, and what its clients were told.
class MemoryFaultsAgent {
 public:
  MemoryFaultsAgent() { start(); }

  // Does `work` again and again, with one failing allocation each time, until all that it makes
  // have failed once. The same agent serves a new client after each, and one that was there before:
  // no more than one connection ends, and that one's only if the allocation was for it.
  void fail_each(uint64_t step, const std::function<void()>& work,
                 MemoryFaults::Of of = MemoryFaults::Of::kAll) {
    work();  // what is made only once
    check_acknowledged();
    uint64_t failed = 0;
    uint64_t most = 1;
    for (uint64_t number = 1; number <= std::min(most, kLast); number += step) {
      CAPTURE(number);
      std::filesystem::resize_file(directory_.log_file(), 0);  // it is told, and read, each time
      ended_connections = 0;
      faults_.fail_allocations(number, 1, of);
      work();
      const bool has_failed = faults_.failed_allocations() > 0;
      const StatusCode steady = ask_steady();
      if (has_failed) CHECK(steady == StatusCode::kOk);
      most = std::max(most, faults_.allocations());
      failed += faults_.failed_allocations();
      faults_.count_allocations();
      INFO(directory_.log());
      REQUIRE(
          call(files(), "v1.Filesystem/PathExists", WireWriter().text(1, directory_.root())).code ==
          StatusCode::kOk);
      check_acknowledged();
      CHECK(ended_connections <= 1);
      if (steady_->closed()) steady_.emplace(files());
      CHECK(ask_steady() == StatusCode::kOk);
    }
    CHECK(failed >= std::min(most, kLast) / step / 2);
  }

  // The same with so many failing allocations, one after the other, that the reserve is used up.
  // Connections end, or else the agent, which says why and is started again. Answers how often
  // either was so.
  struct Ends {
    int of_connections = 0;
    int of_agents = 0;
  };
  Ends exhaust_each(uint64_t step, uint64_t in_a_row, const std::function<void()>& work) {
    work();  // what is made only once
    faults_.count_allocations();
    work();
    ask_steady();
    const uint64_t most = std::min<uint64_t>(faults_.allocations(), kLast);
    Ends ends;
    for (uint64_t number = 1; number <= most; number += step) {
      CAPTURE(number, in_a_row);
      std::filesystem::resize_file(directory_.log_file(), 0);
      ended_connections = 0;
      faults_.fail_allocations(number, in_a_row);
      work();
      ask_steady();
      faults_.count_allocations();
      INFO(directory_.log());
      const int ended = ended_connections;
      if (is_steady_served()) {
        CHECK(ended < static_cast<int>(in_a_row));
        ends.of_connections += ended;
      } else {
        check_end(agent_->wait());
        ++ends.of_agents;
        start();
      }
      check_acknowledged();
      directories_.check();
    }
    return ends;
  }

  // Calls of every kind, each on a connection of its own, which a failure may end.
  void make_calls() {
    const std::string made = directories_.make();
    call(files(), "v1.Filesystem/PathExists", WireWriter().text(1, made));
    call(directory_.echo_socket(), kEchoService + "Say", say("here"));
    call(directory_.echo_socket(), kEchoService + "Count", WireWriter().number(1, 3));
    call(directory_.control_socket(), kAdminService + "GetStatus", {});
  }

  // Changes what the module echo says, between two changes of others.
  void reload(bool by_signal) {
    directories_.make();
    if (by_signal) {
      const std::string wanted = want_another_greeting();
      const bool is_over = agent_->reload();
      INFO(directory_.log());
      REQUIRE(is_over);
      greeting_.reach(wanted, false);
    } else {
      replace_echo();
    }
    directories_.make();
  }

  // The same by a call, and nothing else.
  void replace_echo() {
    const std::string wanted = want_another_greeting();
    const Outcome asked = call(directory_.control_socket(), kAdminService + "Reload", {});
    greeting_.reach(wanted, asked.code == StatusCode::kOk);
    if (asked.code != StatusCode::kOk) ++refused_reloads_;
  }

  // The same with another file of it.
  void upgrade_echo(const std::string& file, const std::string& version) {
    directories_.make();
    bool is_acknowledged = false;
    try {
      is_acknowledged = upgrade(directory_, "echo", file).code == StatusCode::kOk;
    } catch (const std::exception&) {
      ++ended_connections;
    }
    version_.reach(version, is_acknowledged);
    directories_.make();
  }

  // Kills it, and looks after what its clients were told.
  void restart() {
    agent_->signal(SIGKILL);
    CHECK(agent_->wait() == 128 + SIGKILL);
    start();
    directories_.check();
  }

  const AgentDirectory& directory() const { return directory_; }
  int acknowledged_reloads() const { return greeting_.acknowledged(); }
  int refused_reloads() const { return refused_reloads_; }
  int acknowledged_upgrades() const { return version_.acknowledged(); }
  int stop() { return agent_->stop(); }

 private:
  std::string want_another_greeting() {
    const std::string wanted = "greeting " + std::to_string(++changes_);
    directory_.configure({}, "settings.greeting = \"" + wanted + "\"\n");
    return wanted;
  }

  void start() {
    faults_.count_allocations();
    agent_.emplace(directory_, AgentProcess::Options{.variables = faults_.variables()});
    INFO(directory_.log());
    REQUIRE(agent_->serves());
    steady_.emplace(files());
  }

  // Of an agent that had no memory any more.
  void check_end(int code) const {
    CAPTURE(code);
    const std::string log = directory_.log();
    const auto says = [&](const char* text) { return log.find(text) != std::string::npos; };
    // The C library ends a process that has no memory for a thread's variables of a module.
    if (code == 127) {
      CHECK(says("cannot allocate memory for thread-local data: ABORT"));
      return;
    }
    REQUIRE(code == 128 + SIGABRT);
    CHECK(says("longshored: out of memory"));
    CHECK(says("crash: reason: out of memory"));
  }

  // On the connection that is kept.
  StatusCode ask_steady() {
    return call(*steady_, "v1.Filesystem/PathExists", WireWriter().text(1, directory_.root())).code;
  }

  // On a new one, if that was the one that ended.
  bool is_steady_served() {
    try {
      if (steady_->closed()) steady_.emplace(files());
    } catch (const boost::system::system_error&) {
      return false;
    }
    return ask_steady() == StatusCode::kOk;
  }

  void check_acknowledged() {
    if (greeting_.is_changed()) {
      echo::v1::DescribeResponse described;
      const Outcome asked = call(directory_.echo_socket(), kEchoService + "Describe", {});
      REQUIRE(asked.code == StatusCode::kOk);
      REQUIRE(described.ParseFromString(asked.message));
      greeting_.check(described.greeting());
    }
    if (version_.is_changed()) version_.check(module_of(directory_, "echo").version());
  }

  std::string files() const { return directory_.filesystem_socket("v1"); }

  FaultInjection faults_;
  AgentDirectory directory_;
  std::optional<AgentProcess> agent_;
  std::optional<TestClient> steady_;  // a client who is there all the time
  Directories directories_{directory_};
  Changed greeting_, version_;
  int changes_ = 0;
  int refused_reloads_ = 0;
};

}  // namespace longshore::test
