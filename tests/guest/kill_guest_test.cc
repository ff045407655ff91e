// An agent that is killed while it maps, unmaps, logs in and logs out, again and again: the next
// one brings every repeated call to its goal, and at the end nothing is left behind.
//
// 40 kills, with LONGSHORE_LONG=1 there are 200. Random moments come from LONGSHORE_SEED, which is
// printed.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <random>
#include <string>

#include "iscsi/v1alpha2.pb.h"
#include "smb/v1.pb.h"
#include "tests/guest/file_server.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/lio_target.h"
#include "tests/guest/mounted_shares.h"
#include "tests/support/is_long.h"
#include "tests/support/random_seed.h"
#include "tests/support/read_file.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* kSecret = "secret-of-12+";

// A call that is repeated until an agent lives long enough to answer it.
struct Step {
  std::string group, method, request;
};

template <typename Request>
Step step(const std::string& group, const std::string& method, const Request& request) {
  return {group, method, request.SerializeAsString()};
}

Step map(const GuestAgent& agent) {
  v1::NewSmbGlobalMappingRequest request;
  request.set_remote_path(std::string(FileServer::kShare) + "/below");
  request.set_local_path(agent.root() + "/volume");
  request.set_username(FileServer::kUser);
  request.set_password(FileServer::kFirstPassword);
  return step("smb", "v1.Smb/NewSmbGlobalMapping", request);
}

Step unmap() {
  v1::RemoveSmbGlobalMappingRequest request;
  request.set_remote_path(std::string(FileServer::kShare) + "/below");
  return step("smb", "v1.Smb/RemoveSmbGlobalMapping", request);
}

template <typename Request>
Request at_portal(const LioTarget& target) {
  Request request;
  request.mutable_target_portal()->set_target_address(LioTarget::kAddress);
  request.mutable_target_portal()->set_target_port(LioTarget::kPort);
  if constexpr (requires { request.set_iqn(""); }) request.set_iqn(target.name());
  return request;
}

Step log_in(const LioTarget& target) {
  auto request = at_portal<v1alpha2::ConnectTargetRequest>(target);
  request.set_auth_type(v1alpha2::ONE_WAY_CHAP);
  request.set_chap_username("node");
  request.set_chap_secret(kSecret);
  return step("iscsi", "v1alpha2.Iscsi/ConnectTarget", request);
}

Step log_out(const LioTarget& target) {
  return step("iscsi", "v1alpha2.Iscsi/DisconnectTarget",
              at_portal<v1alpha2::DisconnectTargetRequest>(target));
}

// Whether a call ended well before the moment at which the agent was killed.
bool done_before_kill(GuestAgent& agent, const Step& step, std::chrono::milliseconds moment) {
  TestClient client(agent.socket(step.group, step.method.substr(0, step.method.find('.'))));
  const auto answer = client.start(step.method, step.request);
  const bool done = client.run_until([&] { return answer->finished(); }, moment);
  if (done) {
    INFO(step.method << ": " << answer->text());
    REQUIRE(answer->code() == StatusCode::kOk);
  }
  agent.kill_and_start_again();
  return done;
}

// How long it took.
std::chrono::milliseconds must(GuestAgent& agent, const Step& step) {
  const auto begin = std::chrono::steady_clock::now();
  TestClient client(agent.socket(step.group, step.method.substr(0, step.method.find('.'))));
  const auto answer = client.call(step.method, step.request);
  INFO(step.method << ": " << answer->text());
  REQUIRE(answer->code() == StatusCode::kOk);
  return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
}

size_t sessions() {
  const auto entries = fs::directory_iterator("/sys/class/iscsi_session");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

// The files below a directory that hold a secret.
std::string files_with_secrets(const std::string& directory) {
  std::string found;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = read_file(entry.path());
    for (const char* secret : {kSecret, FileServer::kFirstPassword}) {
      if (text.find(secret) != std::string::npos) found += entry.path().string() + "\n";
    }
  }
  return found;
}

}  // namespace

TEST_CASE("What a killed agent had begun, the next one brings to its end", "[thorough]") {
  const FileServer server;
  fs::create_directory(std::string(FileServer::kDirectory) + "/below");
  const LioTarget target({.username = "node", .secret = kSecret});
  GuestAgent agent;
  const Step add = step("iscsi", "v1alpha2.Iscsi/AddTargetPortal",
                        at_portal<v1alpha2::AddTargetPortalRequest>(target));
  must(agent, add);

  const Step all[] = {map(agent), log_in(target), unmap(), log_out(target)};
  // How long each takes; the first time loads what the kernel needs.
  std::chrono::milliseconds taken[std::size(all)];
  for (int time = 0; time < 2; ++time) {
    for (size_t i = 0; i < std::size(all); ++i) taken[i] = must(agent, all[i]);
  }

  std::mt19937_64 random(random_seed());
  const int kills = is_long() ? 200 : 40;
  int done = 0;
  for (int round = 0; round < kills; ++round) {
    CAPTURE(round);
    const Step& cut = all[round % 4];
    // Half of the moments come after the call's end.
    std::uniform_int_distribution<int64_t> moments(0, 2 * taken[round % 4].count());
    if (done_before_kill(agent, cut, std::chrono::milliseconds(moments(random)))) ++done;
    must(agent, cut);
    const bool begun = round % 4 < 2;
    if (round % 2 == 0) {
      CHECK(mounted_shares().size() == (begun ? 1 : 0));
      CHECK(fs::is_symlink(agent.root() + "/volume") == begun);
    } else {
      CHECK(sessions() == (begun ? 1 : 0));
    }
  }
  std::cout << done << " of " << kills << " calls ended before the kill\n";
  CHECK(done > 0);
  CHECK(done < kills);
  must(agent, step("iscsi", "v1alpha2.Iscsi/RemoveTargetPortal",
                   at_portal<v1alpha2::RemoveTargetPortalRequest>(target)));
  CHECK(mounted_shares().empty());
  CHECK(sessions() == 0);
  CHECK_FALSE(fs::exists(agent.mappings() + "/127.0.0.1"));
  CHECK_THAT(files_with_secrets(agent.mappings() + "/.."), Catch::Equals(""));
  CHECK_THAT(files_with_secrets("/etc/iscsi"), Catch::Equals(""));
}
