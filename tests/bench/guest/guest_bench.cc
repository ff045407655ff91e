// Measures the smb and iscsi groups beside the commands that do the same, with the same options and
// on the same server, and the memory of an agent with the modules of all six groups.
//
// A case for each. They print; of the figures nothing is asserted.
#include <sys/random.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>

#include "iscsi/v1alpha2.pb.h"
#include "smb/v1.pb.h"
#include "tests/bench/guest/comparison.h"
#include "tests/guest/file_server.h"
#include "tests/guest/guest_agent.h"
#include "tests/guest/lio_target.h"
#include "tests/support/process_figures.h"

using namespace longshore;
using namespace longshore::bench;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 40;
constexpr const char* kShare = "\\\\127.0.0.1\\share";

bool is_there(const char* program) {
  if (::access(program, X_OK) == 0) return true;
  std::cout << "SKIPPED: there is no " << program << std::endl;
  return false;
}

void map_by_calls(GuestAgent& agent, Stopwatch& times) {
  v1::NewSmbGlobalMappingRequest mapping;
  mapping.set_remote_path(kShare);
  mapping.set_local_path(agent.root() + "/link");
  mapping.set_username(FileServer::kUser);
  mapping.set_password(FileServer::kFirstPassword);
  v1::RemoveSmbGlobalMappingRequest removal;
  removal.set_remote_path(kShare);
  times.time("NewSmbGlobalMapping", [&] {
    agent.get<v1::NewSmbGlobalMappingResponse>("smb", "v1.Smb/NewSmbGlobalMapping", mapping);
  });
  times.time("RemoveSmbGlobalMapping", [&] {
    agent.get<v1::RemoveSmbGlobalMappingResponse>("smb", "v1.Smb/RemoveSmbGlobalMapping", removal);
  });
}

// A target, with CHAP if it is set up so, and both sides' way to connect to it.
//
// A login by hand leaves in the record what iscsid.conf says; ConnectTarget writes all that a login
// depends on into it. Without CHAP the plain `--login` is measured all the same, though it does
// less. With CHAP a login by hand takes `-o update` as well: that the secret is an argument then,
// and stays in the record, is what ConnectTarget avoids.
class Target {
 public:
  explicit Target(iscsi::TargetSetup setup = {}) : setup_(std::move(setup)), target_(setup_) {}

  const std::string& name() const { return target_.name(); }

  template <typename Response, typename Request>
  void call(GuestAgent& agent, const std::string& method, Request request) const {
    request.mutable_target_portal()->set_target_address(LioTarget::kAddress);
    request.mutable_target_portal()->set_target_port(LioTarget::kPort);
    if constexpr (requires { request.set_iqn(""); }) request.set_iqn(name());
    agent.get<Response>("iscsi", "v1alpha2.Iscsi/" + method, request);
  }

  void connect_by_calls(GuestAgent& agent, Stopwatch& times) const {
    using namespace v1alpha2;
    times.time("DiscoverTargetPortal", [&] {
      call<DiscoverTargetPortalResponse>(agent, "DiscoverTargetPortal",
                                         DiscoverTargetPortalRequest());
    });
    ConnectTargetRequest connection;
    if (has_chap()) {
      connection.set_auth_type(ONE_WAY_CHAP);
      connection.set_chap_username(setup_.username);
      connection.set_chap_secret(setup_.secret);
    }
    times.time("ConnectTarget",
               [&] { call<ConnectTargetResponse>(agent, "ConnectTarget", connection); });
    times.time("DisconnectTarget", [&] {
      call<DisconnectTargetResponse>(agent, "DisconnectTarget", DisconnectTargetRequest());
    });
  }

  void connect_by_commands(Stopwatch& times) const {
    const std::string portal = LioTarget::kAddress + (":" + std::to_string(LioTarget::kPort));
    const auto on_node = [&](std::vector<std::string> what) {
      std::vector<std::string> command{kIscsiadm, "-m", "node", "-T", name(), "-p", portal};
      command.insert(command.end(), what.begin(), what.end());
      must_run(command);
    };
    times.time("iscsiadm discovery", [&] {
      must_run({kIscsiadm, "-m", "discovery", "-t", "sendtargets", "-p", portal});
    });
    if (!has_chap()) times.time("iscsiadm --login", [&] { on_node({"--login"}); });
    if (has_chap()) {
      const std::string auth = "node.session.auth.";
      times.time("iscsiadm update, --login", [&] {
        on_node({"-o", "update", "-n", auth + "authmethod", "-v", "CHAP", "-n", auth + "username",
                 "-v", setup_.username, "-n", auth + "password", "-v", setup_.secret});
        on_node({"--login"});
      });
    }
    times.time("iscsiadm --logout, delete", [&] {
      on_node({"--logout"});
      on_node({"-o", "delete"});
    });
  }

  static constexpr const char* kIscsiadm = "/usr/sbin/iscsiadm";

 private:
  bool has_chap() const { return !setup_.username.empty(); }

  const iscsi::TargetSetup setup_;
  const LioTarget target_;
};

void print_memory(const std::string& when, const GuestAgent& agent) {
  const MemoryFigures memory = memory_of(agent.process());
  std::cout << when << ": PSS " << memory.proportional_kib << " K, RSS " << memory.resident_kib
            << " K" << std::endl;
}

}  // namespace

TEST_CASE("A share is mapped and taken away") {
  if (!is_there("/usr/sbin/mount.cifs")) return;
  const FileServer server;
  GuestAgent agent;
  const TemporaryDirectory directory;
  const std::string target = directory / "target", credentials = directory / "credentials";
  fs::create_directory(target);
  write_file(credentials, std::string("username=") + FileServer::kUser +
                              "\npassword=" + FileServer::kFirstPassword + "\n");
  fs::permissions(credentials, fs::perms::owner_read);
  // As the agent mounts by default.
  const std::string options = "credentials=" + credentials +
                              ",seal,soft,echo_interval=5,file_mode=0777,dir_mode=0777,nosuid,"
                              "nodev";
  compare(
      kRounds, [&](Stopwatch& times) { map_by_calls(agent, times); },
      [&](Stopwatch& times) {
        times.time("mount.cifs", [&] {
          must_run({"/usr/sbin/mount.cifs", FileServer::kShare, target, "-o", options});
        });
        times.time("umount", [&] { must_run({"/usr/bin/umount", target}); });
      });
}

TEST_CASE("A target is discovered, connected and disconnected") {
  if (!is_there(Target::kIscsiadm)) return;
  // A target waits for random numbers to ask for CHAP, and a guest that has just booted has none.
  char byte = 0;
  REQUIRE(::getrandom(&byte, 1, 0) == 1);
  const bool has_chap = GENERATE(false, true);
  std::cout << (has_chap ? "\nWith CHAP: by hand that is -o update and --login\n"
                         : "Without CHAP: --login by hand, which writes no record\n");
  const Target target(has_chap ? iscsi::TargetSetup{.username = "node", .secret = "node-secret-1"}
                               : iscsi::TargetSetup{});
  GuestAgent agent;
  target.call<v1alpha2::AddTargetPortalResponse>(agent, "AddTargetPortal",
                                                 v1alpha2::AddTargetPortalRequest());
  compare(
      kRounds, [&](Stopwatch& times) { target.connect_by_calls(agent, times); },
      [&](Stopwatch& times) { target.connect_by_commands(times); });
}

TEST_CASE("Memory of the agent with the modules of all six groups") {
  const FileServer server;
  const Target target;
  GuestAgent agent;
  std::cout << LONGSHORE_BUILD << " build\n";
  print_memory("idle", agent);
  target.call<v1alpha2::AddTargetPortalResponse>(agent, "AddTargetPortal",
                                                 v1alpha2::AddTargetPortalRequest());
  Stopwatch uncounted;
  for (int round = 0; round < kRounds; ++round) {
    map_by_calls(agent, uncounted);
    target.connect_by_calls(agent, uncounted);
  }
  print_memory("after " + std::to_string(kRounds) + " mappings and connections", agent);
}
