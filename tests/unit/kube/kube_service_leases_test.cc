// Controllers that run by a lease: when they may, and which of their writes may be sent.
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <thread>

#include "tests/unit/kube/kube_service_world.h"

namespace longshore::kube {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using test::KubeWorld;

const std::string kPath = "/api/v1/nodes/a";
const std::string kLeases = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";

struct LeaseWorld : KubeWorld {
  LeaseWorld() {
    for (auto& module : world.configuration.modules) module.leader_election = election();
  }

  static config::LeaderElectionSettings election() {
    config::LeaderElectionSettings settings;
    settings.lease = "attacher.leader";
    settings.name_space = "ns";
    settings.release_on_exit = false;  // nobody answers at the end
    return settings;
  }

  std::shared_ptr<services::RunCondition> condition(size_t controller = 0) const {
    return service->run_condition(world.configuration.modules.at(controller));
  }
  // The lease as it is written by this request, with the server's answer to it.
  void accept(const Made& call) { answer(call, 200, call->request.body); }
  void lead(const std::shared_ptr<services::RunCondition>& condition) {
    answer(made(), 404, "{}");
    accept(made());
    REQUIRE(condition->state().is_met);
  }
  bool may_send(const Made& call) {
    bool may = false;
    on_thread([&] { may = !call->request.permit || call->request.permit().ok(); });
    return may;
  }
  bool comes_to(const services::RunCondition& condition, const std::string& reason) {
    return test::eventually(
        [&] { return condition.state().reason.find(reason) != std::string::npos; });
  }
};

struct CountingObserver final : services::RunCondition::Observer {
  void condition_changed() override { ++changes; }
  int changes = 0;
};

}  // namespace

TEST_CASE_METHOD(LeaseWorld, "A lease waits for the client of API servers to be installed") {
  no_client = Error(StatusCode::kFailedPrecondition, "load the client");
  const auto first = condition();
  REQUIRE(first);
  CHECK_THAT(first->state().reason, Contains("cannot load the client"));
  // It is looked at again for each change that is told.
  const auto observer = std::make_shared<CountingObserver>();
  first->observe(observer);
  CHECK(condition() == first);
  CHECK(observer->changes == 0);
  no_client = Error(StatusCode::kFailedPrecondition, "read the client");
  CHECK(condition() == first);
  CHECK(observer->changes == 1);
  CHECK_THAT(first->state().reason, Contains("cannot read the client"));
  no_client.reset();
  REQUIRE(condition() == first);
  lead(first);
}

TEST_CASE_METHOD(LeaseWorld, "Controllers that name a lease share it, and run while it is held") {
  const auto first = condition();
  REQUIRE(first);
  CHECK(condition(1) == first);
  CHECK_FALSE(first->state().is_met);
  const auto got = made();
  CHECK(got->request.path == kLeases + "/attacher-leader");
  answer(got, 404, "{}");
  const auto created = made();
  CHECK(created->request.method == Method::kPost);
  CHECK(created->request.path == kLeases);
  accept(created);
  CHECK(first->state().is_met);
  world.configuration.modules[1].leader_election = {};
  CHECK(condition(1) == nullptr);
}

TEST_CASE_METHOD(LeaseWorld, "Who holds the lease is told") {
  const auto waits = condition();
  answer(made(), 200,
         R"({"kind":"Lease","metadata":{"name":"l"},)"
         R"("spec":{"holderIdentity":"other","leaseDurationSeconds":15}})");
  CHECK(comes_to(*waits, "another holds the lease ns/attacher-leader: other"));
}

TEST_CASE_METHOD(LeaseWorld, "An agent that finds no API server says so where it waits") {
  no_configuration = Error(StatusCode::kNotFound, "read the kubeconfig").because("it is not there");
  CHECK(comes_to(*condition(), "cannot read the kubeconfig: it is not there; set agent.kube"));
}

TEST_CASE_METHOD(LeaseWorld, "Writes are sent while the lease is held, by who runs by one") {
  const auto asked = [&](const std::string& name, const std::string& module = "one") {
    world.call(method(name), at(kPath), std::make_shared<router::Recorder>(), module);
    return made();
  };
  const auto too_early = asked("Delete");
  CHECK_FALSE(may_send(too_early));
  answer(too_early, 503, "{}");
  const auto held = condition();
  lead(held);
  CHECK_FALSE(may_send(too_early));  // it was asked for before
  const auto write = asked("Delete");
  CHECK(may_send(write));
  uptime = std::chrono::nanoseconds(1h).count();  // as a process that was stopped finds it
  CHECK_FALSE(may_send(write));
  answer(write, 503, "{}");
  CHECK(may_send(asked("Get")));
  on_thread([&] { access.running.clear(); });
  world.configuration.modules[0].leader_election = {};
  CHECK(may_send(asked("Delete")));
}

TEST_CASE_METHOD(LeaseWorld, "A lease that no controller names any more is not renewed") {
  const auto held = condition();
  lead(held);
  service->modules_changed({{.name = "one", .is_controller = true, .state = {}, .reason = {}}});
  on_thread([] {});
  CHECK(held->state().is_met);
  service->modules_changed({});
  CHECK(comes_to(*held, "no controller is to run by it any more"));
  const auto fence = held->state().fence;
  REQUIRE(fence);
  CHECK(*fence <= router::Clock::now() + 15s);
  const auto again = condition();
  CHECK(again != held);
  CHECK(made()->request.method == Method::kGet);
}

TEST_CASE_METHOD(LeaseWorld, "A lease is left to others while all its controllers have failed") {
  const auto held = condition();
  CHECK(condition(1) == held);
  lead(held);
  const auto tell = [&](bool one, bool two) {
    service->modules_changed(
        {{.name = "one", .is_controller = true, .state = {}, .reason = {}, .has_failed = one},
         {.name = "two", .is_controller = true, .state = {}, .reason = {}, .has_failed = two}});
    on_thread([] {});
  };
  tell(true, false);
  CHECK(held->state().is_met);
  tell(true, true);
  CHECK(held->state().reason ==
        "the lease attacher.leader is left to others: none of its controllers starts");
  CHECK(held->state().is_left);
  const auto fence = held->state().fence;
  REQUIRE(fence);
  CHECK(*fence <= router::Clock::now() + 15s);
  CHECK(condition() == held);  // a look is no try
  on_thread([&] { CHECK(access.running.empty()); });
  tell(true, false);
  lead(held);
}

TEST_CASE_METHOD(LeaseWorld, "A lease named after a driver is stood for while that is ready") {
  auto& one = world.configuration.modules[0];
  one.leader_election.lease = "attacher-leader-{driver}";
  one.wait_for_driver = "/csi/csi.sock";
  auto& two = world.configuration.modules[1];
  two.leader_election.lease = one.leader_election.lease;
  two.wait_for_driver = "/other/csi.sock";
  const auto held = condition();
  CHECK(condition(1) != held);
  CHECK(comes_to(*held,
                 "the lease attacher-leader-{driver} waits for its driver: it does not listen"));
  CHECK_FALSE(io.load());
  driver->meet();
  CHECK(made()->request.path == kLeases + "/attacher-leader-test-csi-example");
  lead(held);
  world.call(method("Delete"), at(kPath), std::make_shared<router::Recorder>());
  const auto write = made();
  CHECK(may_send(write));
  driver->fail("it is lost");
  CHECK(comes_to(*held, "waits for its driver: it is lost"));
  const auto fence = held->state().fence;
  REQUIRE(fence);
  CHECK(*fence <= router::Clock::now() + 15s);
  CHECK_FALSE(may_send(write));
  answer(write, 503, "{}");
  driver->meet();
  lead(held);
}

TEST_CASE_METHOD(LeaseWorld, "The report has a lease, by its own name once that is known") {
  const auto leases = [&] {
    observe::StatusReport report;
    service->add_to(report);
    return report.leases;
  };
  CHECK(leases().empty());
  auto& one = world.configuration.modules[0];
  one.leader_election.lease = "attacher-leader-{driver}";
  one.wait_for_driver = "/csi/csi.sock";
  const auto held = condition();
  REQUIRE(leases().size() == 1);
  CHECK(leases()[0].name.empty());
  CHECK(leases()[0].controllers == std::vector<std::string>{one.name});
  CHECK_FALSE(leases()[0].leads);
  uptime = std::chrono::nanoseconds(1h).count();
  driver->meet();
  lead(held);
  REQUIRE(leases().size() == 1);
  CHECK(leases()[0].name == "attacher-leader-test-csi-example");
  CHECK(leases()[0].leads);
  CHECK(leases()[0].since_renewed == 0s);
  CHECK(leases()[0].duration == 15s);
  // What renews it hangs: it knows nothing of the time.
  uptime = std::chrono::nanoseconds(1h + 36s).count();
  CHECK(leases()[0].is_overdue());
  driver->fail("it is lost");
  CHECK(comes_to(*held, "it is lost"));
  CHECK_FALSE(leases()[0].leads);
  CHECK_FALSE(leases()[0].is_overdue());
  service->modules_changed({});
  CHECK(leases().empty());
}

TEST_CASE_METHOD(LeaseWorld, "A driver that tells no name is asked again") {
  auto& one = world.configuration.modules[0];
  one.leader_election.lease = "{driver}";
  one.wait_for_driver = "/csi/csi.sock";
  driver_has_name = false;
  driver->meet();
  const auto waits = condition();
  CHECK(comes_to(*waits, "cannot ask the name of"));
  driver_has_name = true;
  CHECK(made()->request.path == kLeases + "/test-csi-example");
}

TEST_CASE_METHOD(LeaseWorld, "The agent's end gives the lease back, where that is asked for") {
  world.configuration.modules[0].leader_election.release_on_exit = true;
  // Also where its driver has ended before.
  const bool is_driver_lost = GENERATE(false, true);
  if (is_driver_lost) {
    world.configuration.modules[0].leader_election.lease = "{driver}";
    world.configuration.modules[0].wait_for_driver = "/csi/csi.sock";
    driver->meet();
  }
  const auto held = condition();
  answer(made(), 404, "{}");
  const auto created = made();
  const std::string lease = created->request.body;
  accept(created);
  if (is_driver_lost) {
    driver->fail("it is lost");
    REQUIRE(comes_to(*held, "waits for its driver: it is lost"));
  }
  std::thread end([&] { service->stop(); });
  answer(made(), 200, lease);
  const auto released = made();
  CHECK(released->request.method == Method::kPut);
  CHECK_THAT(released->request.body, Contains(R"("holderIdentity":"","leaseDurationSeconds":1)"));
  on_thread([&] { access.end(released, ApiError(Error(StatusCode::kUnavailable, "answer"))); });
  end.join();
}

TEST_CASE_METHOD(LeaseWorld,
                 "The agent's end gives back what it was claiming as its driver was lost") {
  auto& one = world.configuration.modules[0];
  one.leader_election.release_on_exit = true;
  one.leader_election.lease = "{driver}";
  one.wait_for_driver = "/csi/csi.sock";
  driver->meet();
  const auto waits = condition();
  answer(made(), 404, "{}");
  const auto claim = made();
  driver->fail("it is lost");
  REQUIRE(comes_to(*waits, "waits for its driver: it is lost"));
  CHECK_FALSE(waits->state().fence);  // it has never led
  REQUIRE(cancelled() == 1);          // too late
  accept(claim);
  std::thread end([&] { service->stop(); });
  answer(made(), 200, claim->request.body);
  const auto released = made();
  CHECK(released->request.method == Method::kPut);
  CHECK_THAT(released->request.body, Contains(R"("holderIdentity":"")"));
  on_thread([&] { access.end(released, ApiError(Error(StatusCode::kUnavailable, "answer"))); });
  end.join();
}

}  // namespace longshore::kube
