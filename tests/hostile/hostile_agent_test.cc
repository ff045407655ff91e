// What modules that break the contract do to a real agent, to the module beside them and to those
// who call: loaded into the agent, where much cannot be survived, and in a process of their own,
// where everything must be.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "longshore/admin/v1.pb.h"
#include "longshore/echo/v1.pb.h"
#include "tests/support/agent_process.h"
#include "tests/support/build_tree.h"
#include "tests/support/process_figures.h"
#include "tests/support/test_client.h"

namespace longshore::hostile {
namespace {

using namespace longshore::test;

const std::string kInProcess = "\"in-process\"";
const std::string kInChild = "\"process\"\nprocess.memory_max = 200000000";

// What a client is told whose agent goes away.
const std::string kGone = "UNAVAILABLE the connection ended: the peer is gone: End of file";
const std::string kOverdueText =
    "the configured time limit passed before the call was finished; it may still take effect";
const std::string kOverdue = "DEADLINE_EXCEEDED " + kOverdueText;
const std::string kMayNot =
    "PERMISSION_DENIED module:hostile may not call longshore.admin.v1.Admin/Upgrade; the "
    "agent serves it to endpoints only, whatever may_call names";

// In the order of a life. What is not reached stays empty.
struct Life {
  std::string start;      // "serving", or the state and the reason
  std::string call;       // the outcome of a call
  std::string neighbour;  // of a call to another module, after it
  std::string end;        // "in order", or how the agent died

  bool operator==(const Life&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Life& life) {
  return out << "start: " << life.start << "\ncall: " << life.call
             << "\nneighbour: " << life.neighbour << "\nend: " << life.end;
}

// Sanitizers turn signals into exits of their own.
std::string death(int status) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return status == 0 ? "in order" : "death";
#else
  if (status == 0) return "in order";
  return status > 128 ? std::string("SIG") + sigabbrev_np(status - 128)
                      : "exit " + std::to_string(status);
#endif
}

std::string outcome_of(const Answer& answer) {
  const std::string code = status_code_name(answer.code());
  if (answer.code() == StatusCode::kOk) return code + " " + answer.messages.at(0);
  return code + " " + answer.text();
}

Life failed(const std::string& why) {
  return {"failed: " + why, "UNAVAILABLE the module hostile is not running: " + why, "well",
          "in order"};
}

Life not_started(const std::string& reason) {
  return failed("cannot start the module \"hostile\": " + reason);
}

struct Deed {
  const char* module;
  Life life;
  std::optional<Life> on_busy_machine = {};
};

class HostileAgent {
 public:
  // `isolation` with what else stands in the module's section. A time limit is short only where the
  // module exceeds it.
  HostileAgent(const Deed& deed, const std::string& isolation) {
    const std::string module = deed.module;
    const bool hangs = module == "create_hangs" || module == "start_hangs";
    const bool is_overdue = deed.life.call == kOverdue;
    directory_.configure("[modules.hostile]\nlibrary = \"" + hostile_module(module) +
                         "\"\nstart_timeout = " + (hangs ? "\"500ms\"" : "\"60s\"") +
                         "\ncall_timeout = " + (is_overdue ? "\"2s\"" : "\"60s\"") +
                         "\nisolation = " + isolation +
                         "\n[endpoints.hostile]\naddress = \"unix://" + hostile_socket() +
                         "\"\nservices = [\"hostile.v1.Hostile\"]\n");
  }

  Life live() {
    Life life;
    AgentProcess agent(directory_);
    if (!agent.serves()) {
      life.end = death(agent.wait());
      return life;
    }
    life.start = state_of_module();
    life.call = call(hostile_socket(), "hostile.v1.Hostile/Do", {});
    echo::v1::SayRequest request;
    request.set_text("here");
    echo::v1::SayResponse response;
    response.set_text("here");
    const std::string said =
        call(directory_.echo_socket(), "longshore.echo.v1.Echo/Say", request.SerializeAsString());
    life.neighbour = said == "OK " + response.SerializeAsString() ? "well" : said;
    if (said == kGone) life.neighbour = "nobody listens";
    agent.signal(SIGTERM);
    life.end = death(agent.wait());
    return life;
  }

  const AgentDirectory& directory() const { return directory_; }

 private:
  std::string hostile_socket() const { return directory_ / "hostile/hostile.sock"; }

  std::string state_of_module() const {
    TestClient client(directory_.control_socket());
    const auto answer = client.call("longshore.admin.v1.Admin/ListModules", {});
    admin::v1::ListModulesResponse response;
    response.ParseFromString(answer->messages.at(0));
    for (const auto& module : response.modules()) {
      if (module.name() != "hostile") continue;
      return module.reason().empty() ? module.state() : module.state() + ": " + module.reason();
    }
    return "not there";
  }

  static std::string call(const std::string& socket, const std::string& method,
                          const std::string& request) {
    if (!std::filesystem::exists(socket)) return "no socket";
    try {
      TestClient client(socket);
      const std::string outcome = outcome_of(*client.call(method, request));
      // The socket of an agent that is just going away may still take a connection.
      return outcome.starts_with("UNAVAILABLE the connection ") ? kGone : outcome;
    } catch (const std::exception&) {
      return "nobody listens";
    }
  }

  AgentDirectory directory_;
};

void check(const std::vector<Deed>& deeds, const std::string& isolation) {
  for (const Deed& deed : deeds) {
    HostileAgent agent(deed, isolation);
    const Life life = agent.live();
    INFO(deed.module << " isolation = " << isolation << "\n" << agent.directory().log());
    CHECK(life == (life == deed.on_busy_machine ? *deed.on_busy_machine : deed.life));
  }
}

TEST_CASE("What a module in the agent does to itself, the agent survives") {
  check({{"behaves", {"serving", "OK well", "well", "in order"}},
         {"create_hangs",
          failed("cannot create the module instance \"hostile\": its create does not return")},
         {"start_hangs", not_started(kOverdueText)},
         {"never_finishes", {"serving", kOverdue, "well", "in order"}},
         {"stop_hangs", {"serving", "OK well", "well", "in order"}},
         {"destroy_hangs", {"serving", "OK well", "well", "in order"}},
         {"exits_thread", {"serving", kOverdue, "well", "in order"}},
         {"forks", {"serving", "OK well", "well", "in order"}},
         {"changes_folder", {"serving", "OK well", "well", "in order"}},
         {"masks_signals", {"serving", "OK well", "well", "in order"}},
         {"finish_twice", {"serving", "OK first", "well", "in order"}},
         {"log_flood", {"serving", "OK dry", "well", "in order"}},
         {"upgrades_itself", {"serving", kMayNot, "well", "in order"}}},
        kInProcess);
}

TEST_CASE("What a module in the agent does to the process, it does to the agent") {
  check({{"crash_in_create", {"", "", "", death(128 + SIGABRT)}},
         {"crash_in_start", {"", "", "", death(128 + SIGSEGV)}},
         {"crash_in_invoke", {"serving", kGone, "nobody listens", death(128 + SIGSEGV)}},
         {"crash_in_stop", {"serving", "OK well", "well", death(128 + SIGSEGV)}},
         {"crash_in_destroy", {"serving", "OK well", "well", death(128 + SIGSEGV)}},
         {"aborts", {"serving", kGone, "nobody listens", death(128 + SIGABRT)}},
         {"exits", {"serving", kGone, "nobody listens", death(3)}},
         {"throws", {"serving", kGone, "nobody listens", death(128 + SIGABRT)}},
         {"huge_stack", {"serving", kGone, "nobody listens", death(128 + SIGSEGV)}}},
        kInProcess);
}

// What stands where the module's own process is told of.
std::string ended(const std::string& how) { return "the process of the module hostile " + how; }

Life failed_at_start(const std::string& how) { return not_started(ended(how)); }

Life failed_in_call(const std::string& how) {
  return {"serving", "UNAVAILABLE " + ended(how) + "; the call may have taken effect", "well",
          "in order"};
}

TEST_CASE("Whatever a module does in a process of its own, the agent and the others go on") {
  const Life well = {"serving", "OK well", "well", "in order"};
  const Life overdue = {"serving", kOverdue, "well", "in order"};
  // The process is killed shortly before the start's time limit, which passes first where no
  // processor is free.
  const Life late = not_started(kOverdueText);
  check({{"behaves", well},
         {"crash_in_create", failed_at_start("was killed by SIGABRT")},
         {"crash_in_start", failed_at_start("was killed by SIGSEGV")},
         {"crash_in_invoke", failed_in_call("was killed by SIGSEGV")},
         {"crash_in_stop", well},
         {"crash_in_destroy", well},
         {"create_hangs", failed_at_start("was killed because it did not start in time"), late},
         {"start_hangs", failed_at_start("was killed because it did not start in time"), late},
         {"never_finishes", overdue},
         {"stop_hangs", well},
         {"destroy_hangs", well},
         {"aborts", failed_in_call("was killed by SIGABRT")},
         {"exits", failed_in_call("exited with code 3")},
         {"exits_thread", overdue},
         {"throws", failed_in_call("was killed by SIGABRT")},
         {"huge_stack", failed_in_call("was killed by SIGSEGV")},
         {"eats_memory", failed_in_call("was killed by SIGABRT")},
         {"closes_descriptors", failed_in_call("exited with code 2")},
         {"forks", well},
         {"changes_folder", well},
         {"masks_signals", well},
         {"finish_twice", {"serving", "OK first", "well", "in order"}},
         {"log_flood", {"serving", "OK dry", "well", "in order"}},
         {"upgrades_itself", {"serving", kMayNot, "well", "in order"}}},
        kInChild);
}

}  // namespace
}  // namespace longshore::hostile
