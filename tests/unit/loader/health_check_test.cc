// An instance whose module has longshore.module.v1.Health is asked before it serves.
#include <atomic>
#include <catch2/catch.hpp>

#include "loader/instance.h"

namespace longshore::loader {
namespace {

using namespace std::chrono_literals;

// Code that starts well and answers its health check as it is told.
class Patient final : public ModuleCode {
 public:
  enum class Health { kGood, kBad, kSilent };

  Patient(Health health, bool has_check) : ModuleCode(facts_of(has_check)), health_(health) {}

  longshore_result create(const longshore_host* host, void** self,
                          const longshore_instance** functions) override {
    static const longshore_instance table = {
        sizeof(longshore_instance), 0,       &Patient::start, &Patient::invoke,
        &Patient::finish,           nullptr, &Patient::stop,  &Patient::destroy};
    host_ = host;
    *self = this;
    *functions = &table;
    return LONGSHORE_OK;
  }

  // Its start is finished when it is cancelled, and well.
  void start_late() { starts_late_ = true; }

  int asked = 0;
  std::atomic<bool> stopped{false};
  std::atomic<bool> stopped_before_destroy{false};

 private:
  static std::shared_ptr<const ModuleFacts> facts_of(bool has_check) {
    auto facts = std::make_shared<ModuleFacts>();
    if (has_check) {
      facts->description.health_check.emplace();
      facts->description.health_check->full_name = "longshore.module.v1.Health/Check";
    }
    return facts;
  }

  static void start(void* self, longshore_call call, longshore_bytes, longshore_bytes) {
    if (!static_cast<Patient*>(self)->starts_late_) finish(self, call);
  }
  static void invoke(void* self, longshore_call call, longshore_bytes, longshore_bytes) {
    auto& patient = *static_cast<Patient*>(self);
    ++patient.asked;
    const longshore_host* host = patient.host_;
    if (patient.health_ == Health::kSilent) return;
    if (patient.health_ == Health::kGood) {
      host->send(host, call, {nullptr, 0});
      host->finish(host, call, 0, {nullptr, 0});
    } else {
      host->finish(host, call, 14, {"no array", 8});
    }
  }
  // Also what a silent one does when nobody waits any more.
  static void finish(void* self, longshore_call call) {
    const longshore_host* host = static_cast<Patient*>(self)->host_;
    host->finish(host, call, 0, {nullptr, 0});
  }
  static void stop(void* self, longshore_call call) {
    static_cast<Patient*>(self)->stopped = true;
    finish(self, call);
  }
  static void destroy(void* self) {
    auto& patient = *static_cast<Patient*>(self);
    patient.stopped_before_destroy = patient.stopped.load();
  }

  const Health health_;
  bool starts_late_ = false;
  const longshore_host* host_ = nullptr;
};

struct Clinic {
  Result<void> start(Patient::Health health, bool has_check = true) {
    InstanceOptions options;
    options.name = "patient";
    options.start_timeout = 200ms;
    patient = std::make_shared<Patient>(health, has_check);
    if (starts_late) patient->start_late();
    instance = Instance::create(patient, options, router, *log).value();
    return instance->start({}, {});
  }

  std::unique_ptr<observe::Log> log =
      observe::Log::open({.write = [](observe::Level, std::string_view) {}}).value();
  router::Timers timers;
  router::Router router{timers, {}};
  bool starts_late = false;
  std::shared_ptr<Patient> patient;
  std::shared_ptr<Instance> instance;
};

TEST_CASE_METHOD(Clinic, "A module that says it is healthy serves") {
  REQUIRE(start(Patient::Health::kGood));
  CHECK(patient->asked == 1);
  CHECK(instance->lifecycle().state() == LifecycleState::kServing);
  CHECK(instance->stop(router::Clock::now() + 10s));
}

TEST_CASE_METHOD(Clinic, "One that has no such method is not asked") {
  REQUIRE(start(Patient::Health::kBad, false));
  CHECK(patient->asked == 0);
  CHECK(instance->lifecycle().state() == LifecycleState::kServing);
  CHECK(instance->stop(router::Clock::now() + 10s));
}

TEST_CASE_METHOD(Clinic, "One that says it is not healthy has not started") {
  const auto started = start(Patient::Health::kBad);
  REQUIRE_FALSE(started);
  CHECK(started.error().message() ==
        "cannot start the module \"patient\": it says that it is not healthy: no array");
  CHECK(instance->lifecycle().state() == LifecycleState::kFailed);
  CHECK(instance->lifecycle().reason() == "it says that it is not healthy: no array");
  CHECK(instance->stop(router::Clock::now() + 10s));
  CHECK(patient->stopped_before_destroy);  // its threads run since its start
}

TEST_CASE_METHOD(Clinic, "One that does not answer in time has not started either") {
  const auto started = start(Patient::Health::kSilent);
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == StatusCode::kDeadlineExceeded);
  CHECK(instance->lifecycle().state() == LifecycleState::kFailed);
  CHECK(instance->stop(router::Clock::now() + 10s));
}

TEST_CASE_METHOD(Clinic,
                 "One whose start was finished well, but too late, is stopped all the same") {
  starts_late = true;
  const auto started = start(Patient::Health::kGood);
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == StatusCode::kDeadlineExceeded);
  CHECK(instance->stop(router::Clock::now() + 10s));
  CHECK(patient->stopped_before_destroy);
}

}  // namespace
}  // namespace longshore::loader
