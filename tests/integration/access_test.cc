// Who may use a socket: modes, owners, users, groups and numbers of connections, asked of the
// system by peers of other users.
#include <grp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/agent_process.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

constexpr unsigned kNobody = 65534;
constexpr unsigned kDaemon = 1;
constexpr unsigned kGames = 60;

enum Reception { kWelcome = 0, kNoPermission = 1, kTurnedAway = 2, kNoAnswer = 3 };

// How a socket receives a process of these ids: the server speaks first, so a byte is a welcome.
Reception reception(const std::string& socket_path, unsigned user, unsigned group,
                    const std::vector<gid_t>& more_groups = {}) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(socket_path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size());
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // Only what may be called between fork and exec.
    if (setgroups(more_groups.size(), more_groups.data()) != 0 || setgid(group) != 0 ||
        setuid(user) != 0) {
      _exit(kNoAnswer);
    }
    const int peer = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(peer, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      _exit(errno == EACCES ? kNoPermission : kNoAnswer);
    }
    pollfd readable{peer, POLLIN, 0};
    char byte = 0;
    if (poll(&readable, 1, 30000) != 1) _exit(kNoAnswer);
    _exit(recv(peer, &byte, 1, 0) == 1 ? kWelcome : kTurnedAway);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return static_cast<Reception>(WEXITSTATUS(status));
}

// An agent whose echo service has one more endpoint, with these keys.
struct Guarded {
  explicit Guarded(const std::string& keys) {
    // The folders above are the test's; those of the sockets are the agent's.
    fs::permissions(fs::path(directory.config_file()).parent_path(), fs::perms(0755));
    configure(keys);
    agent = std::make_unique<AgentProcess>(directory);
    INFO(directory.log());
    REQUIRE(agent->serves());
  }
  ~Guarded() { CHECK(agent->stop() == 0); }

  void configure(const std::string& keys) const {
    directory.configure("[endpoints.guarded]\naddress = \"unix://" + socket() +
                        "\"\nservices = [\"longshore.echo.v1.Echo\"]\n" + keys);
  }
  std::string socket() const { return directory / "guarded/guarded.sock"; }

  AgentDirectory directory;
  std::unique_ptr<AgentProcess> agent;
};

struct stat status_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status;
}

}  // namespace

TEST_CASE("Without a word in the configuration only the agent's own user reaches a socket") {
  const Guarded guarded("");
  CHECK((status_of(guarded.socket()).st_mode & 0777) == 0600);
  CHECK(reception(guarded.socket(), 0, 0) == kWelcome);
  CHECK(reception(guarded.socket(), kNobody, kNobody) == kNoPermission);
  CHECK(reception(guarded.directory.control_socket(), kNobody, kNobody) == kNoPermission);
}

TEST_CASE("Whom a reload takes the right to connect is told to go") {
  const Guarded guarded("mode = \"0666\"\nallow_users = [\"root\"]\n");
  TestClient client(guarded.socket());
  REQUIRE(client.call("longshore.echo.v1.Echo/Say", "")->code() == StatusCode::kOk);
  guarded.configure("mode = \"0666\"\nallow_users = [\"nobody\"]\n");
  REQUIRE(guarded.agent->reload());
  CHECK(client.run_until([&] { return client.closed(); }));
  CHECK(reception(guarded.socket(), 0, 0) == kTurnedAway);
  CHECK(reception(guarded.socket(), kNobody, kNobody) == kWelcome);
}

TEST_CASE("A socket whose owner and group are not named any more is the agent's own again") {
  const Guarded guarded("mode = \"0660\"\nowner = \"nobody\"\ngroup = \"games\"\n");
  guarded.configure("mode = \"0660\"\n");
  REQUIRE(guarded.agent->reload());
  CHECK((status_of(guarded.socket()).st_mode & 0777) == 0660);
  CHECK(status_of(guarded.socket()).st_uid == 0);
  CHECK(status_of(guarded.socket()).st_gid == 0);
  CHECK(reception(guarded.socket(), kDaemon, kGames) == kNoPermission);
}

TEST_CASE("Mode, owner and group of a socket are those of the configuration, also after a reload") {
  const Guarded guarded("mode = \"0660\"\nowner = \"nobody\"\ngroup = \"games\"\n");
  CHECK((status_of(guarded.socket()).st_mode & 0777) == 0660);
  CHECK(status_of(guarded.socket()).st_uid == kNobody);
  CHECK(status_of(guarded.socket()).st_gid == kGames);
  CHECK(reception(guarded.socket(), kNobody, kNobody) == kWelcome);
  CHECK(reception(guarded.socket(), kDaemon, kGames) == kWelcome);
  CHECK(reception(guarded.socket(), kDaemon, kDaemon) == kNoPermission);

  guarded.configure("mode = \"0600\"\nowner = \"daemon\"\n");
  REQUIRE(guarded.agent->reload());
  CHECK((status_of(guarded.socket()).st_mode & 0777) == 0600);
  CHECK(reception(guarded.socket(), kDaemon, kDaemon) == kWelcome);
  CHECK(reception(guarded.socket(), kNobody, kNobody) == kNoPermission);
}

TEST_CASE("allow_users and allow_groups turn away whoever they do not name") {
  const Guarded guarded(
      "mode = \"0666\"\nallow_users = [\"nobody\"]\nallow_groups = [\"games\"]\n");
  CHECK(reception(guarded.socket(), kNobody, kNobody) == kWelcome);
  CHECK(reception(guarded.socket(), kDaemon, kGames) == kWelcome);
  CHECK(reception(guarded.socket(), kDaemon, kDaemon, {7, kGames}) == kWelcome);
  CHECK(reception(guarded.socket(), kDaemon, kDaemon, {7}) == kTurnedAway);
  CHECK(reception(guarded.socket(), kDaemon, kDaemon) == kTurnedAway);
  CHECK(guarded.directory.log().find("uid:1 pid:") != std::string::npos);

  guarded.configure("mode = \"0666\"\nallow_users = [\"daemon\"]\n");
  REQUIRE(guarded.agent->reload());
  CHECK(reception(guarded.socket(), kDaemon, kDaemon) == kWelcome);
  CHECK(reception(guarded.socket(), kNobody, kNobody) == kTurnedAway);
}

TEST_CASE("Connections over the limits are turned away, and there is room again afterwards") {
  const Guarded guarded(
      "mode = \"0666\"\n[agent.limits]\nmax_connections = 3\nmax_connections_per_user = 2\n");
  {
    TestClient first(guarded.socket());
    TestClient second(guarded.socket());
    // With open calls; the idle ones would give way.
    for (TestClient* const client : {&first, &second}) {
      const auto stream =
          client->start("longshore.echo.v1.Echo/CountAsync", WireWriter().number(1, 1 << 30));
      REQUIRE(client->run_until([&] { return !stream->messages.empty(); }));
    }
    CHECK(reception(guarded.socket(), 0, 0) == kTurnedAway);
    CHECK(reception(guarded.socket(), kNobody, kNobody) == kWelcome);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (reception(guarded.socket(), 0, 0) != kWelcome) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);  // their end is noticed in a moment
  }
}
