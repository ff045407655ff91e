// An API server that has one lease, and candidates for it whose clocks the test moves.
#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kube/leader_election.h"
#include "tests/unit/kube/manual_access.h"

namespace longshore::test {

// Threads: one.
class LeaseServer {
 public:
  using Object = boost::json::object;

  // Does what is asked for and answers it.
  kube::Outcome answer(const kube::Request& request) {
    asked.emplace_back(kube::method_name(request.method));
    if (fails_with != 0) return refused(request, fails_with);
    if (request.method == kube::Method::kGet) {
      return lease.empty() ? refused(request, 404) : stored();
    }
    Object written = boost::json::parse(request.body).as_object();
    const bool is_new = request.method == kube::Method::kPost;
    if (is_new != lease.empty()) return refused(request, is_new ? 409 : 404);
    Object& metadata = written["metadata"].as_object();
    if (!is_new && metadata["resourceVersion"].as_string() != std::to_string(version_)) {
      return refused(request, 409);
    }
    lease = std::move(written);
    return stored();
  }

  // Somebody else writes it.
  void change(const std::function<void(Object& spec)>& function) {
    if (lease.empty())
      lease = {{"kind", "Lease"}, {"metadata", {{"name", "l"}}}, {"spec", Object()}};
    function(lease["spec"].as_object());
    static_cast<void>(stored());
  }

  std::string holder() {
    return std::string(lease["spec"].as_object()["holderIdentity"].as_string());
  }
  int64_t transitions() { return lease["spec"].as_object()["leaseTransitions"].as_int64(); }

  Object lease;                    // empty: there is none
  int fails_with = 0;              // each request, with this HTTP status
  std::vector<std::string> asked;  // "GET", "POST", "PUT"

 private:
  kube::Outcome stored() {
    lease["metadata"].as_object()["resourceVersion"] = std::to_string(++version_);
    kube::Response response;
    response.status = 200;
    response.body = boost::json::serialize(lease);
    return response;
  }

  static kube::Outcome refused(const kube::Request& request, int status) {
    kube::Response response;
    response.status = status;
    response.body = R"({"kind":"Status","message":"the server's words"})";
    return kube::status_error(request, response, "");
  }

  int version_ = 0;
};

struct Candidate {
  using Seconds = std::chrono::duration<double>;

  Candidate(LeaseServer& lease_server, const std::string& name) : server(lease_server) {
    claim.holder = name;
  }

  void start() {
    begin();
    serve();
  }

  // The server takes its first claim, and the answer is on its way.
  void claim_without_answer() {
    begin();
    const auto read = access.running.at(0);
    access.end(read, server.answer(read->request));
    static_cast<void>(server.answer(access.running.at(0)->request));
  }

  // As it was when this begins.
  void begin() {
    election.emplace(
        access, timing, claim, times,
        kube::LeaderElection::Events{
            .lead = [this] { told.emplace_back("leads"); },
            .follow =
                [this](const std::string& reason, std::optional<std::chrono::nanoseconds> end) {
                  told.push_back(reason);
                  lease_end = end;
                }});
    election->start();
  }

  // All that it asks for, at once.
  void serve() {
    while (!access.running.empty()) {
      const auto made = access.running.front();
      access.end(made, made->is_cancelled
                           ? kube::Outcome(kube::ApiError(Error(StatusCode::kCancelled, "go on")))
                           : server.answer(made->request));
    }
  }
  void advance(Seconds by) {
    timing.advance(std::chrono::duration_cast<std::chrono::nanoseconds>(by), [this] { serve(); });
  }
  // Its process is stopped meanwhile.
  void pause(Seconds by) { timing.up += std::chrono::duration_cast<std::chrono::nanoseconds>(by); }

  bool may_write() const { return election->permit(election->term()).ok(); }

  LeaseServer& server;
  ManualAccess access;
  ManualTiming timing;
  kube::LeaseClaim claim{.name_space = "ns", .name = "l", .holder = {}, .labels = {}};
  kube::ElectionTimes times;
  std::vector<std::string> told;
  std::optional<std::chrono::nanoseconds> lease_end;  // that it was told of last
  std::optional<kube::LeaderElection> election;
};

}  // namespace longshore::test
