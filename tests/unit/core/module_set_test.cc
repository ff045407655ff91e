// Which instances of a module that forbids two live when, while it is replaced, fails and ends.
#include <algorithm>
#include <catch2/catch.hpp>
#include <future>
#include <thread>

#include "core/core.h"
#include "tests/support/build_tree.h"
#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/router/test_target.h"

namespace longshore::core {
namespace {

using namespace std::chrono_literals;
using router::Recorder;

constexpr const char* kDo = "hostile.v1.Hostile/Do";

// What the instances do, and are to do. Calls with the request "hold" are held.
struct Ward {
  struct Seen {
    int living = 0;
    int most_living = 0;
    int stopped = 0;
    std::string handover;  // that the last one was started with
    const longshore_host* host = nullptr;
    longshore_call held = 0;
  };
  router::Watched<Seen> seen;
  std::atomic<bool> is_healthy{true};

  void finish_held() {
    const Seen now = seen.get();
    now.host->send(now.host, now.held, {"well", 4});
    now.host->finish(now.host, now.held, 0, {nullptr, 0});
  }
  // The held call calls its own module, and is finished when that has answered.
  void nest_in_held() {
    const Seen now = seen.get();
    longshore_invoke_request request{};
    request.struct_size = sizeof(request);
    request.credit = 1;
    request.parent = now.held;
    request.method = {kDo, std::string_view(kDo).size()};
    request.user = this;
    request.on_finish = [](void* user, longshore_invocation, longshore_status_code,
                           longshore_bytes) { static_cast<Ward*>(user)->finish_held(); };
    longshore_invocation invocation = 0;
    CHECK(now.host->invoke(now.host, &request, &invocation) == LONGSHORE_OK);
  }
};

class Patient {
 public:
  Patient(const longshore_host* host, Ward& ward) : host_(host), ward_(ward) {
    ward_.seen.change([](Ward::Seen& all) {
      ++all.living;
      all.most_living = std::max(all.most_living, all.living);
    });
  }
  ~Patient() {
    ward_.seen.change([](Ward::Seen& all) { --all.living; });
  }

  void finish(longshore_call call, int32_t code = 0) {
    host_->finish(host_, call, code, {nullptr, 0});
  }
  void start(longshore_call call, longshore_bytes handover) {
    ward_.seen.change([&](Ward::Seen& all) { all.handover = text_of(handover); });
    finish(call);
  }
  void invoke(longshore_call call, const std::string& method, const std::string& request) {
    if (method != kDo) return finish(call, ward_.is_healthy ? 0 : 14);
    if (request == "hold") {
      ward_.seen.change([&](Ward::Seen& all) {
        all.host = host_;
        all.held = call;
      });
      return;
    }
    host_->send(host_, call, {"well", 4});
    finish(call);
  }
  void stop(longshore_call call) {
    ward_.seen.change([](Ward::Seen& all) { ++all.stopped; });
    host_->send(host_, call, {"state", 5});
    finish(call);
  }
  static std::string text_of(longshore_bytes bytes) {
    return {static_cast<const char*>(bytes.data), static_cast<size_t>(bytes.size)};
  }

 private:
  const longshore_host* const host_;
  Ward& ward_;
};

class PatientCode final : public loader::ModuleCode {
 public:
  PatientCode(const loader::ModuleFacts& facts, Ward& ward)
      : ModuleCode(with_health(facts)), ward_(ward) {}

  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    static const longshore_instance table = {
        sizeof(longshore_instance),
        0,
        [](void* of, longshore_call call, longshore_bytes, longshore_bytes handover) {
          static_cast<Patient*>(of)->start(call, handover);
        },
        [](void* of, longshore_call call, longshore_bytes method, longshore_bytes request) {
          static_cast<Patient*>(of)->invoke(call, Patient::text_of(method),
                                            Patient::text_of(request));
        },
        nullptr,
        nullptr,
        [](void* of, longshore_call call) { static_cast<Patient*>(of)->stop(call); },
        [](void* of) { delete static_cast<Patient*>(of); }};
    *self = new Patient(host, ward_);
    *functions = &table;
    return LONGSHORE_OK;
  }

 private:
  static std::shared_ptr<const loader::ModuleFacts> with_health(loader::ModuleFacts facts) {
    facts.description.health_check.emplace();
    facts.description.health_check->full_name = "longshore.module.v1.Health/Check";
    facts.description.health_check->server_streaming = true;  // needs no message
    return std::make_shared<const loader::ModuleFacts>(std::move(facts));
  }

  Ward& ward_;
};

struct Clinic {
  Clinic() {
    core.modules.set_process_code([this](auto inspection, const auto&, const auto&) {
      return Result<std::shared_ptr<loader::ModuleCode>>(
          std::make_shared<PatientCode>(*inspection.facts, ward));
    });
    configuration.agent.state_dir = folder / "state";
    module.name = "hostile";
    module.library = test::hostile_module("tells_caller");
    module.isolation = "process";
    module.may_call = {"hostile.v1.Hostile"};
    configuration.modules = {module};
  }
  ~Clinic() { core.modules.stop_all(10s); }

  ModuleSet::Committed apply() {
    auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGoOn);
    INFO((change ? "" : change.error().message()));
    REQUIRE(change);
    return (*std::move(change)).commit();
  }
  // Any change of the settings asks for another instance.
  std::future<ModuleSet::Committed> apply_change() {
    ++configuration.modules.at(0).max_stuck_calls;
    return std::async(std::launch::async, [this] { return apply(); });
  }

  std::shared_ptr<Recorder> call(const std::string& request,
                                 std::chrono::nanoseconds timeout = 1min) {
    const auto observer = std::make_shared<Recorder>();
    router::CallRequest wanted;
    wanted.method = kDo;
    wanted.request = request;
    wanted.caller = std::make_shared<router::Caller>(router::Caller{"uid:0", "uid:0", nullptr});
    wanted.timeout = timeout;
    wanted.observer = observer;
    core.router.call(std::move(wanted));
    return observer;
  }
  std::shared_ptr<Recorder> hold(std::chrono::nanoseconds timeout = 1min) {
    // On a busy machine a short time may be over before the module gets the call.
    for (int attempts = 0;; ++attempts) {
      REQUIRE(attempts < 1000);
      auto observer = call("hold", timeout);
      const auto is_over = [&] { return !observer->received.get().outcomes.empty(); };
      while (!is_over() && ward.seen.get().held == 0) std::this_thread::yield();
      if (ward.seen.get().held != 0) return observer;
    }
  }

  std::shared_ptr<loader::Instance> instance() const { return core.modules.list().at(0).instance; }
  bool await_drain() const {
    return test::eventually(
        [one = instance()] { return one->figures().state == loader::LifecycleState::kDraining; });
  }

  test::TemporaryDirectory folder;
  Ward ward;
  router::Watched<std::string> log_text;
  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [this](observe::Level, std::string_view line) {
        log_text.change([&](std::string& all) { all += std::string(line) + '\n'; });
      }}).value();
  Core core{{}, std::make_unique<InspectedModules>(std::vector<std::string>{}), *log};
  config::Configuration configuration;
  config::ModuleSettings module;
};

}  // namespace

TEST_CASE_METHOD(Clinic, "One that is enabled again waits for the calls of the older instance") {
  apply();
  const auto held = hold();
  configuration.modules = {};
  apply();
  configuration.modules = {module};
  auto applied = std::async(std::launch::async, [this] { return apply(); });
  CHECK_FALSE(ward.seen.wait([](const Ward::Seen& all) { return all.living > 1; }, 200ms));
  ward.finish_held();
  CHECK_FALSE(applied.get().failed);
  CHECK(held->code() == StatusCode::kOk);
  CHECK(ward.seen.get().most_living == 1);
  CHECK(call("")->await());
}

TEST_CASE_METHOD(Clinic, "A watch has no time limit but one of its own") {
  const std::string watch = "longshore.echo.v1.Echo/CountAsync";
  const std::string other = "longshore.echo.v1.Echo/Count";
  module.name = "echo";
  module.library = test::built_module("echo");
  module.call_timeout = 1s;
  configuration.modules = {module};
  apply();
  const auto timeout_of = [&](const std::string& method) {
    return core.router.routes()->by_method.at(method).method->timeout;
  };
  CHECK_FALSE(timeout_of(watch));
  CHECK(timeout_of(other) == 1s);
  configuration.modules.at(0).method_timeouts[watch] = 2s;
  apply();
  CHECK(timeout_of(watch) == 2s);
}

TEST_CASE_METHOD(Clinic, "What was prepared and is dropped is ended, and nothing has changed") {
  {
    const auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGoOn);
    REQUIRE(change);
    CHECK(ward.seen.get().living == 1);
  }
  CHECK(ward.seen.get().living == 0);
  CHECK(ward.seen.get().stopped == 1);
  CHECK(core.modules.list().empty());
  apply();
  CHECK(ward.seen.get().living == 1);
}

TEST_CASE_METHOD(Clinic, "One that is started but not healthy is ended before the next try") {
  ward.is_healthy = false;
  apply();
  CHECK(ward.seen.get().living == 0);
  CHECK(ward.seen.get().stopped == 1);
  CHECK(core.modules.list().at(0).lifecycle->state() == loader::LifecycleState::kFailed);
  const auto refused = call("");
  REQUIRE(refused->await());
  CHECK(refused->code() == StatusCode::kUnavailable);
  ward.is_healthy = true;
  apply();
  CHECK(ward.seen.get().living == 1);
  CHECK(ward.seen.get().most_living == 1);
}

TEST_CASE("A stuck call holds up a replacement no longer than a moment, and costs no handover") {
  auto& clinic = *new Clinic;  // for good, as the instance that is abandoned
  clinic.configuration.agent.stop_timeout = 1min;
  clinic.apply();
  clinic.hold(10ms);
  const auto old_one = clinic.instance();
  REQUIRE(test::eventually([&] { return old_one->figures().stuck == 1; }));
  const auto begun = router::Clock::now();
  const auto committed = clinic.apply_change().get();
  CHECK(router::Clock::now() - begun < 30s);
  CHECK_FALSE(committed.failed);
  REQUIRE(committed.sentences.size() == 1);
  CHECK_THAT(committed.sentences[0], Catch::Matchers::Contains("could not be ended"));
  CHECK(clinic.ward.seen.get().handover == "state");
  CHECK(clinic.instance() != old_one);
  CHECK(clinic.call("")->await());
  clinic.core.modules.stop_all(10s);
  CHECK(clinic.ward.seen.get().stopped == 2);  // the abandoned one not once more
}

TEST_CASE_METHOD(Clinic, "When the agent ends, a replacement that waits for calls is given up") {
  configuration.agent.stop_timeout = 1h;
  apply();
  const auto held = hold();
  auto applied = apply_change();
  REQUIRE(await_drain());
  core.modules.hurry();
  CHECK(applied.get().failed);
  CHECK(call("")->await());
  ward.finish_held();
  CHECK(held->await());
  CHECK(ward.seen.get().most_living == 1);
}

TEST_CASE_METHOD(Clinic,
                 "A call to its own module does not wait for the replacement that waits for it") {
  apply();
  const auto held = hold();
  auto applied = apply_change();
  REQUIRE(await_drain());
  ward.nest_in_held();
  CHECK_FALSE(applied.get().failed);
  CHECK(held->code() == StatusCode::kOk);
}

TEST_CASE_METHOD(Clinic,
                 "One whose file cannot be loaded fails alone, unless the agent is strict") {
  config::ModuleSettings absent;
  absent.name = "absent";
  absent.library = folder / "absent.so";
  configuration.modules = {absent, module};
  configuration.agent.strict = true;
  const auto refused = core.modules.prepare(configuration, ModuleSet::OnFailure::kGoOn);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message(), Catch::Matchers::Contains(absent.library));
  configuration.agent.strict = false;
  auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGiveUp);
  REQUIRE(change);
  std::move(*change).commit();
  const auto entries = core.modules.list();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].lifecycle->state() == loader::LifecycleState::kFailed);
  CHECK_THAT(entries[0].failure, Catch::Matchers::Contains(absent.library));
  CHECK(entries[0].file_failure == entries[0].failure);
  CHECK(call("")->await());
  CHECK_THAT(log_text.get(), Catch::Matchers::Contains("module=absent"));
}

TEST_CASE_METHOD(Clinic, "What runs goes on when its file cannot be loaded any more") {
  apply();
  const auto before = instance();
  const std::string good = module.library;
  configuration.modules.at(0).library = folder / "gone.so";
  auto change = core.modules.prepare(configuration, ModuleSet::OnFailure::kGiveUp);
  REQUIRE(change);
  std::move(*change).commit();
  CHECK(instance() == before);
  CHECK_THAT(core.modules.list().at(0).file_failure, Catch::Matchers::Contains("gone.so"));
  CHECK(core.modules.list().at(0).failure.empty());
  const auto served = call("");
  REQUIRE(served->await());
  CHECK(served->code() == StatusCode::kOk);

  configuration.modules.at(0).deny_methods = {kDo};
  apply();
  const auto denied = call("");
  REQUIRE(denied->await());
  CHECK(denied->code() == StatusCode::kPermissionDenied);

  configuration.modules.at(0).library = good;
  apply();
  CHECK(instance() == before);
  CHECK(core.modules.list().at(0).file_failure.empty());
}

TEST_CASE_METHOD(Clinic,
                 "A module that can have no folder of its own does not start, and tells why") {
  const std::string state = (folder.path() / "state" / "hostile").string();
  std::filesystem::create_directory(folder / "state");
  test::write_file(state, "precious");
  apply();
  CHECK_FALSE(instance());
  CHECK_THAT(core.modules.list().at(0).failure,
             Catch::Contains("cannot make the folder \"" + state + "\""));
  const auto refused = call("");
  REQUIRE(refused->await());
  CHECK(refused->code() == StatusCode::kUnavailable);

  std::filesystem::remove(state);
  apply();
  CHECK(instance());
  const auto served = call("");
  REQUIRE(served->await());
  CHECK(served->code() == StatusCode::kOk);
}

TEST_CASE_METHOD(Clinic, "A try that nobody asked for does not wait for calls that run") {
  configuration.agent.stop_timeout = 1h;
  apply();
  const auto before = instance();
  const auto held = hold();
  config::ModuleSettings& settings = configuration.modules.at(0);
  settings.library = folder / "gone.so";
  apply();
  settings.library = module.library;
  ++settings.max_stuck_calls;
  const auto retry = [&] {
    auto change = core.modules.prepare_retry(settings, configuration.agent);
    REQUIRE(change);
    REQUIRE(*change);
    return (**std::move(change)).commit();
  };
  const auto early = retry();
  CHECK(early.failed);
  CHECK(early.calls_remain);
  CHECK(instance() == before);
  CHECK_FALSE(core.modules.list().at(0).file_failure.empty());
  ward.finish_held();
  CHECK(held->await());
  CHECK_FALSE(retry().failed);
  CHECK(instance() != before);
  CHECK(core.modules.list().at(0).file_failure.empty());
}

TEST_CASE_METHOD(Clinic, "Nor does it wait for calls of an instance that was disabled") {
  configuration.agent.stop_timeout = 1h;
  apply();
  const auto held = hold();
  configuration.modules = {};
  apply();
  configuration.modules = {module};
  configuration.modules.at(0).library = folder / "gone.so";
  apply();
  const auto retry = [&] { return core.modules.prepare_retry(module, configuration.agent); };
  const auto early = retry();
  REQUIRE_FALSE(early);
  CHECK(early.error().code() == StatusCode::kResourceExhausted);
  ward.finish_held();
  CHECK(held->await());
  REQUIRE(test::eventually([&] { return ward.seen.get().living == 0; }));
  auto later = retry();
  REQUIRE(later);
  REQUIRE(*later);
  (**std::move(later)).commit();
  CHECK(core.modules.list().at(0).serves());
}

TEST_CASE_METHOD(Clinic, "A file that an agent has ended at is started before all others") {
  const std::string state_dir = configuration.agent.state_dir;
  module.isolation = "in-process";
  module.name = "zebra";
  config::ModuleSettings echo;
  echo.name = "echo";
  echo.library = test::built_module("echo");
  configuration.modules = {echo, module};
  const auto inspection = core.inspected->take(module, configuration.agent);
  REQUIRE(inspection);
  REQUIRE(CrashMarkers::open(state_dir, *log).value()->begin("zebra", *inspection->facts));
  core.modules.set_crash_markers(CrashMarkers::open(state_dir, *log).value());
  apply();
  const std::string text = log_text.get();
  const size_t first = text.find("starting module module=zebra");
  REQUIRE(first != std::string::npos);
  CHECK(first < text.find("starting module module=echo"));
  const std::string marks = test::read_file(state_dir + "/.crash-markers");
  CHECK_THAT(marks, !Catch::Contains("zebra") && !Catch::Contains("echo"));  // both came back
}

}  // namespace longshore::core
