// One election, and two about one lease, before a server whose answers and clocks the test has.
#include "kube/leader_election.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/kube/lease_server.h"

namespace longshore::kube {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using test::Candidate;
using test::LeaseServer;
using Names = std::vector<std::string>;

struct ElectionWorld {
  LeaseServer server;
  Candidate a{server, "a"};
  Candidate b{server, "b"};
};

}  // namespace

TEST_CASE_METHOD(ElectionWorld, "The first makes the lease and keeps it; the other waits for it") {
  b.timing.time = std::chrono::system_clock::time_point(1h);  // its clock is wrong
  a.start();
  CHECK(server.asked == Names{"GET", "POST"});
  CHECK(boost::json::serialize(server.lease["spec"]) ==
        R"({"holderIdentity":"a","leaseDurationSeconds":15,)"
        R"("acquireTime":"1970-01-01T00:00:00.000000Z",)"
        R"("renewTime":"1970-01-01T00:00:00.000000Z","leaseTransitions":0})");
  b.start();
  for (int i = 0; i < 60; ++i) {
    a.timing.time += 1s;
    b.timing.time += 1s;
    a.advance(1s);
    b.advance(1s);
    CHECK(a.may_write());
  }
  CHECK(a.told == Names{"leads"});
  CHECK(b.told == Names{"another holds the lease ns/l: a"});
  CHECK(server.transitions() == 0);

  b.pause(1h);  // a renews it meanwhile
  a.timing.time += 5s;
  a.advance(5s);
  b.advance(0s);
  CHECK(b.told.size() == 1);
}

TEST_CASE_METHOD(ElectionWorld, "A holder that was stopped for long writes nothing, and is told") {
  a.start();
  b.start();
  const uint64_t term = a.election->term();
  a.pause(9s);
  CHECK(a.election->permit(term));
  a.pause(1s);
  CHECK_FALSE(a.may_write());
  a.pause(1h);
  b.advance(14s);
  CHECK(b.told.size() == 1);
  b.advance(11s);  // it looks each 5 s
  CHECK(b.told.back() == "leads");
  CHECK(server.holder() == "b");
  CHECK(server.transitions() == 1);

  server.asked.clear();
  a.advance(0s);
  CHECK(server.asked.empty());
  CHECK(a.told.back() == "the lease ns/l is lost: was not renewed in time");
  CHECK(a.lease_end == 15s);
  a.advance(5s);
  CHECK(server.asked == Names{"GET"});
  CHECK(a.told.back() == "another holds the lease ns/l: b");
  CHECK(a.lease_end == std::nullopt);
}

TEST_CASE_METHOD(ElectionWorld, "What was begun in one term is not done in the next") {
  a.start();
  const uint64_t term = a.election->term();
  a.pause(20s);
  a.advance(10s);
  CHECK(a.told == Names{"leads", "the lease ns/l is lost: was not renewed in time", "leads"});
  CHECK(a.may_write());
  const auto refused = a.election->permit(term);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code() == StatusCode::kUnavailable);
  CHECK(refused.error().message() == "the lease ns/l is not held any more");
  CHECK(server.transitions() == 0);
}

TEST_CASE_METHOD(ElectionWorld,
                 "A record that changes is one that is renewed, whatever its times") {
  server.change([](LeaseServer::Object& spec) {
    spec["holderIdentity"] = "x";
    spec["leaseDurationSeconds"] = 40;
    spec["renewTime"] = "2001-01-01T00:00:00.000000Z";
    spec["leaseTransitions"] = 6;
  });
  a.start();
  for (int i = 0; i < 10; ++i) {
    a.advance(35s);
    server.change([&](LeaseServer::Object& spec) { spec["acquireTime"] = std::to_string(i); });
    a.advance(5s);
  }
  CHECK(a.told == Names{"another holds the lease ns/l: x"});
  a.advance(34s);  // its duration, and not ours
  CHECK(a.told.size() == 1);
  a.advance(11s);
  CHECK(a.told.back() == "leads");
  CHECK(server.transitions() == 7);
}

TEST_CASE_METHOD(ElectionWorld, "A lease that nobody holds is free, and one of before is its own") {
  server.change([](LeaseServer::Object& spec) {
    spec["holderIdentity"] = "";
    spec["leaseDurationSeconds"] = 3600;
  });
  a.start();
  CHECK(a.told == Names{"leads"});
  CHECK(server.transitions() == 1);
  const auto acquired = server.lease["spec"].as_object()["acquireTime"];
  Candidate again(server, "a");
  again.timing.time += 1h;
  again.start();
  CHECK(again.told == Names{"leads"});
  CHECK(server.transitions() == 1);
  CHECK(server.lease["spec"].as_object()["acquireTime"] == acquired);
}

TEST_CASE_METHOD(ElectionWorld, "Errors are told until the renew deadline, and then it has lost") {
  a.start();
  a.advance(7s);  // renewed at 5
  server.fails_with = 500;
  server.asked.clear();
  a.advance(7s);
  CHECK(a.may_write());
  CHECK(server.asked.size() >= 3);
  a.advance(1s);
  CHECK_FALSE(a.may_write());
  CHECK_THAT(a.told.back(),
             Contains("the lease ns/l is lost: cannot") && Contains("the server's words"));
  CHECK(a.lease_end == 20s);
  a.advance(60s);
  CHECK(a.told.size() == 3);  // and that it cannot get it
  server.fails_with = 0;
  a.advance(11s);
  CHECK(a.told.back() == "leads");
  CHECK(server.transitions() == 0);
}

TEST_CASE_METHOD(ElectionWorld, "A renewal that hangs is cancelled at the renew deadline") {
  a.start();
  a.timing.advance(5s);
  REQUIRE(a.access.running.size() == 1);
  const auto hanging = a.access.running.front();
  a.timing.advance(5s);
  CHECK(hanging->is_cancelled);
  CHECK_FALSE(a.election->leads());
  a.access.end(hanging, ApiError(Error(StatusCode::kCancelled, "go on")));
  CHECK(a.told.size() == 2);
  CHECK(a.access.running.empty());
}

TEST_CASE_METHOD(ElectionWorld, "An answer that comes late makes nobody a leader") {
  a.election.emplace(a.access, a.timing, a.claim, a.times,
                     LeaderElection::Events{.lead = [] { FAIL(); }, .follow = {}});
  a.election->start();
  const auto end_one = [&](auto&& pause) {
    const auto made = a.access.running.at(0);
    kube::Outcome outcome = server.answer(made->request);
    a.pause(pause);
    a.access.end(made, std::move(outcome));
  };
  end_one(1h);
  end_one(10s);
  CHECK(server.holder() == "a");
  CHECK_FALSE(a.election->leads());
}

TEST_CASE_METHOD(ElectionWorld, "Changes of others are kept, and cost no leadership") {
  a.claim.labels = {{"app", "driver"}};
  a.start();
  server.lease["metadata"].as_object()["labels"].as_object()["other"] = "kept";
  server.lease["more"] = 1;
  server.change([](LeaseServer::Object& spec) { spec["strategy"] = "kept"; });
  server.asked.clear();
  a.advance(5s);
  CHECK(server.asked == Names{"PUT", "GET", "PUT"});
  CHECK(a.may_write());
  CHECK(boost::json::serialize(server.lease["metadata"].as_object()["labels"]) ==
        R"({"app":"driver","other":"kept"})");
  CHECK(server.lease["more"] == 1);
  CHECK(server.lease["spec"].as_object()["strategy"] == "kept");

  server.lease.clear();  // deleted
  a.advance(5s);
  CHECK(server.holder() == "a");
  CHECK(a.told == Names{"leads"});
}

TEST_CASE_METHOD(ElectionWorld, "Who sees another in its lease has lost at once") {
  a.start();
  server.change([](LeaseServer::Object& spec) { spec["holderIdentity"] = "x"; });
  a.advance(5s);
  CHECK(a.told.back() == "the lease ns/l is lost: another holds the lease ns/l: x");
  CHECK(a.lease_end == 5s);
  CHECK(server.holder() == "x");
}

TEST_CASE_METHOD(ElectionWorld, "Of a long holder's name the beginning is told") {
  const std::string name(199, 'x');
  server.change([&](LeaseServer::Object& spec) {
    spec["holderIdentity"] = name + "\xc3\xa4" + std::string(1 << 20, 'x');
  });
  a.start();
  CHECK(a.told == Names{"another holds the lease ns/l: " + name + "\xef\xbf\xbd..."});
  a.advance(26s);  // it is another's nevertheless, until nobody renews it
  CHECK(a.told.back() == "leads");
}

TEST_CASE_METHOD(ElectionWorld, "A lease that is given back is the next one's at once") {
  a.start();
  b.start();
  bool is_done = false;
  a.election->release([&] { is_done = true; });
  CHECK_FALSE(a.may_write());
  a.serve();
  CHECK(is_done);
  CHECK(server.holder().empty());
  CHECK(server.lease["spec"].as_object()["leaseDurationSeconds"] == 1);
  b.advance(5s);
  CHECK(b.told.back() == "leads");
  CHECK(server.transitions() == 1);

  server.asked.clear();
  is_done = false;
  a.election->release([&] { is_done = true; });  // which it does not hold
  CHECK(is_done);
  CHECK(server.asked.empty());
  server.change([](LeaseServer::Object& spec) { spec["holderIdentity"] = "x"; });
  b.election->release([&] { is_done = false; });  // nor this one, it finds
  b.serve();
  CHECK_FALSE(is_done);
  CHECK(server.holder() == "x");
}

TEST_CASE_METHOD(ElectionWorld, "A lease that is renewed while it is given back is given back") {
  a.start();
  bool is_done = false;
  a.election->release([&] { is_done = true; });
  const auto read = a.access.running.at(0);
  a.access.end(read, server.answer(read->request));
  server.change([](LeaseServer::Object&) {});  // a request that was cancelled too late
  a.serve();
  CHECK(is_done);
  CHECK(server.holder().empty());
}

TEST_CASE_METHOD(ElectionWorld, "A lease that was claimed as it is given back is given back") {
  const bool is_new = GENERATE(true, false);
  if (!is_new) {
    server.change([](LeaseServer::Object& spec) {
      spec["holderIdentity"] = "";
      spec["leaseDurationSeconds"] = 1;
    });
  }
  a.claim_without_answer();
  REQUIRE(server.asked == Names{"GET", is_new ? "POST" : "PUT"});
  bool is_done = false;
  a.election->release([&] { is_done = true; });
  CHECK_FALSE(is_done);
  a.serve();
  CHECK(is_done);
  CHECK(server.holder().empty());
  CHECK(a.told.empty());
}

TEST_CASE_METHOD(ElectionWorld,
                 "A claim without an answer is given back, and a refused one is not") {
  const int status = GENERATE(0, 409, 503);
  a.claim_without_answer();
  const auto claimed = a.access.running.at(0);
  server.fails_with = status;
  a.access.end(claimed, status == 0 ? Outcome(ApiError(Error(StatusCode::kUnavailable, "hear")))
                                    : server.answer(claimed->request));
  server.fails_with = 0;
  server.asked.clear();
  bool is_done = false;
  a.election->release([&] { is_done = true; });
  a.serve();
  CHECK(is_done);
  CHECK(server.asked == (status == 0 ? Names{"GET", "PUT"} : Names{}));
}

TEST_CASE_METHOD(ElectionWorld, "What another has claimed meanwhile is not given back") {
  a.claim_without_answer();
  server.change([](LeaseServer::Object& spec) { spec["holderIdentity"] = "x"; });
  a.election->release([] {});
  a.serve();
  CHECK(server.asked == Names{"GET", "POST", "GET"});
  CHECK(server.holder() == "x");
}

TEST_CASE_METHOD(ElectionWorld, "Who has seen another in the lease gives nothing back") {
  a.claim_without_answer();
  const auto claimed = a.access.running.at(0);
  a.access.end(claimed, ApiError(Error(StatusCode::kUnavailable, "hear")));
  server.change([](LeaseServer::Object& spec) { spec["holderIdentity"] = "x"; });
  a.advance(11s);
  CHECK(a.told.back() == "another holds the lease ns/l: x");
  server.asked.clear();
  bool is_done = false;
  a.election->release([&] { is_done = true; });
  CHECK(is_done);
  CHECK(server.asked.empty());
}

TEST_CASE_METHOD(ElectionWorld, "A lease that others write all the time is given up") {
  a.start();
  server.asked.clear();
  bool is_done = false;
  a.election->release([&] { is_done = true; });
  while (!is_done) {
    const auto made = a.access.running.at(0);
    if (made->request.method == Method::kPut) server.change([](LeaseServer::Object&) {});
    a.access.end(made, server.answer(made->request));
    REQUIRE(server.asked.size() <= 6);
  }
  CHECK(server.asked == Names{"GET", "PUT", "GET", "PUT", "GET", "PUT"});
  CHECK(a.access.running.empty());
}

TEST_CASE_METHOD(ElectionWorld, "A lease is given back by one deadline for all that it takes") {
  a.start();
  a.election->release([] {});
  const auto read = a.access.running.at(0);
  CHECK(read->request.deadline <= std::chrono::steady_clock::now() + 5s);
  a.access.end(read, server.answer(read->request));
  const auto written = a.access.running.at(0);
  CHECK(written->request.method == Method::kPut);
  CHECK(written->request.deadline == read->request.deadline);
}

TEST_CASE_METHOD(ElectionWorld, "What the server refuses is told once, and tried again") {
  for (const int status : {401, 403, 404, 422, 503}) {
    INFO(status);
    Candidate one(server, "one");
    server.fails_with = status;
    one.start();
    one.advance(30s);
    REQUIRE(one.told.size() == 1);
    CHECK_THAT(one.told.back(), Contains("the server's words"));
    const std::string role = "; the role for leases is in deploy/kubernetes/rbac/leases.yaml";
    CHECK(one.told.back().ends_with(role) == (status == 403));
    if (status == 403) CHECK_THAT(one.told.back(), Contains("the verb get on the resource leases"));
  }
  server.fails_with = 0;
  server.lease = {{"kind", "Node"}, {"metadata", {{"name", "l"}}}};
  a.start();
  CHECK_THAT(a.told.at(0), Contains("the server's answer is no Lease"));
  server.lease.clear();
  a.advance(11s);
  CHECK(a.told.back() == "leads");
}

}  // namespace longshore::kube
