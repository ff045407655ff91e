// What longshorectl says when the agent cannot be reached, or is not what it was taken for.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>
#include <utility>

#include "longshorectl_run.h"
#include "tests/support/build_tree.h"

using namespace longshore::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

namespace fs = std::filesystem;

// A socket of the test's own, listening unless it is of datagrams.
class OwnSocket {
 public:
  OwnSocket(const std::string& path, int type)
      : descriptor_(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    REQUIRE(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    if (type == SOCK_STREAM) REQUIRE(::listen(descriptor_, 5) == 0);
  }
  OwnSocket(const OwnSocket&) = delete;
  OwnSocket& operator=(const OwnSocket&) = delete;
  ~OwnSocket() { ::close(descriptor_); }

  // Takes one client and says this to it; empty: closes at once.
  void answer(const std::string& text) const {
    const int client = ::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
    if (!text.empty()) {
      std::array<char, 512> heard{};
      if (::read(client, heard.data(), heard.size()) > 0) {
        if (::write(client, text.data(), text.size()) < 0) FAIL("nobody listens");
      }
    }
    ::close(client);
  }

 private:
  const int descriptor_;
};

std::string complaint(const std::string& socket, int exit_code = 3) {
  const auto run = run_at(socket, {"status"});
  CHECK(run.exit_code == exit_code);
  CHECK(run.output.empty());
  CHECK_THAT(run.errors, Contains(socket));
  return run.errors;
}

// As nobody, whom root can become, and with a copy of the program that others may reach.
ProgramRun run_as_nobody(const AgentDirectory& directory, std::string socket = {}) {
  if (socket.empty()) socket = directory.control_socket();
  const std::string program = directory / "longshorectl";
  fs::copy_file(built_program("longshorectl"), program);
  ::chmod(fs::path(program).parent_path().c_str(), 0755);
  return run_program({"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                      program, "--socket", std::move(socket), "status"});
}

bool is_root() {
  if (::geteuid() == 0) return true;
  WARN("SKIPPED: becoming another user needs root");
  return false;
}

}  // namespace

TEST_CASE("no socket is there") {
  const TemporaryDirectory directory;
  CHECK_THAT(complaint(directory / "control.sock"),
             StartsWith("longshorectl: cannot reach the agent at") &&
                 Contains("there is no such socket; is longshored running"));
  CHECK_THAT(complaint(directory / "not/here/control.sock"), Contains("is longshored running"));
  CHECK_THAT(complaint("/tmp/" + std::string(200, 'x')), Contains("name too long"));
}

TEST_CASE("a socket whose process has ended") {
  const TemporaryDirectory directory;
  const std::string path = directory / "control.sock";
  { const OwnSocket ended(path, SOCK_STREAM); }
  CHECK_THAT(complaint(path),
             Contains("nobody listens at it (Connection refused)") && Contains("start longshored"));
}

TEST_CASE("something else than a socket") {
  const TemporaryDirectory directory;
  write_file(directory / "file", "text");
  CHECK_THAT(complaint(directory / "file"), Contains("it is not a socket; --socket takes"));
  CHECK_THAT(complaint(directory.path().string()), Contains("it is a directory"));
}

TEST_CASE("a socket of datagrams") {
  const TemporaryDirectory directory;
  const OwnSocket socket(directory / "log.sock", SOCK_DGRAM);
  CHECK_THAT(complaint(directory / "log.sock"), Contains("it is a socket of another kind"));
}

TEST_CASE("a socket that drivers use") {
  const Served served;
  for (const std::string& socket :
       {served.directory.filesystem_socket("v1"), served.directory.echo_socket()}) {
    CHECK_THAT(complaint(socket), Contains("this socket does not serve longshore.admin.v1.Admin") &&
                                      Contains("give the agent's control socket by --socket"));
  }
}

TEST_CASE("a server that speaks another language") {
  const TemporaryDirectory directory;
  const OwnSocket socket(directory / "http.sock", SOCK_STREAM);
  std::thread server([&] { socket.answer("HTTP/1.1 400 Bad Request\r\n\r\n"); });
  const std::string said = complaint(directory / "http.sock");
  server.join();
  CHECK_THAT(said, Contains("the connection ended"));
}

TEST_CASE("a server that says nothing is waited for no longer than asked") {
  const TemporaryDirectory directory;
  const OwnSocket socket(directory / "silent.sock", SOCK_STREAM);
  const std::string command = GENERATE("status", "reload");
  const auto run = run_at(directory / "silent.sock", {command, "--timeout", "100ms"});
  CHECK(run.exit_code == 4);
  CHECK_THAT(run.errors, StartsWith("DEADLINE_EXCEEDED: "));
}

TEST_CASE("a server that hangs up at once turns us away") {
  const TemporaryDirectory directory;
  const OwnSocket socket(directory / "closed.sock", SOCK_STREAM);
  std::thread server([&] { socket.answer({}); });
  const std::string said = complaint(directory / "closed.sock");
  server.join();
  CHECK_THAT(said, Contains("cannot get an answer at") &&
                       Contains("the agent lets in root and its own user, and nobody from within a "
                                "container"));
}

TEST_CASE("a folder that others may not enter") {
  if (!is_root()) return;
  const Served served;
  const auto run = run_as_nobody(served.directory);
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("permission denied: " + (served.directory / "control") +
                                  " belongs to root; only root may use this socket; try "
                                  "sudo"));
}

TEST_CASE("a socket that others may not use") {
  if (!is_root()) return;
  const Served served;
  ::chmod((served.directory / "control").c_str(), 0755);
  const auto run = run_as_nobody(served.directory);
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("permission denied: " + served.directory.control_socket()) &&
                             Contains("try sudo"));
}

TEST_CASE("a socket for drivers, whose group may use it") {
  if (!is_root()) return;
  constexpr gid_t kGroup = 4294967200;
  const Served served;
  const std::string socket = served.directory.filesystem_socket("v1");
  REQUIRE(::chown(socket.c_str(), 0, kGroup) == 0);
  ::chmod(socket.c_str(), 0660);
  const auto run = run_as_nobody(served.directory, socket);
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("permission denied: " + socket + " belongs to root; only root " +
                                  "and the group 4294967200 may use this socket; try sudo"));
}

TEST_CASE("a service that is not there may be one of a module that is switched off") {
  const Served served;
  const auto run = served.run({"call", "v1.Smb/NewSmbGlobalMapping", "{}"});
  CHECK(run.exit_code == 4);
  CHECK_THAT(run.errors, Contains("v1.Smb") && Contains("`enabled = false`"));
}

TEST_CASE("an audit log that is not there is told with the reason, and that there need be none") {
  const std::string otherwise = "there is no audit log unless";
  const TemporaryDirectory directory;
  const auto named = run_at(directory / "none.sock", {"audit", "verify", directory / "audit"});
  CHECK(named.exit_code == 2);
  CHECK_THAT(named.errors, Contains((directory / "audit") + "\": No such file or directory") &&
                               !Contains(otherwise));
  if (fs::exists("/var/log/longshore/audit.jsonl")) return;  // somebody's agent's
  const auto usual = run_at(directory / "none.sock", {"audit", "verify"});
  CHECK_THAT(usual.errors, Contains("No such file or directory") && Contains(otherwise));
}

TEST_CASE("an agent that does not know us") {
  if (!is_root()) return;
  const Served served;
  ::chmod((served.directory / "control").c_str(), 0755);
  ::chmod(served.directory.control_socket().c_str(), 0666);
  const auto run = run_as_nobody(served.directory);
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors, Contains("the agent lets in root and its own user"));
  CHECK_THAT(served.directory.log(), Contains("connection refused") && Contains("uid:65534"));
}

TEST_CASE("an agent outside of our container") {
  if (!is_root()) return;
  const Served served;
  const std::vector<std::string> unshare{"/usr/bin/unshare", "--pid", "--fork"};
  auto words = unshare;
  words.emplace_back("/bin/true");
  if (run_program(words).exit_code != 0) {
    WARN("SKIPPED: no new pid namespace may be made here");
    return;
  }
  words = unshare;
  words.insert(words.end(), {built_program("longshorectl"), "--socket",
                             served.directory.control_socket(), "status"});
  const auto run = run_program(words);
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.errors,
             Contains("nobody from within a container; whom it refuses, its log names"));
  CHECK_THAT(served.directory.log(), Contains("it is in a container of its own"));
}

TEST_CASE("a command that is not there is set right, and one that lacks is told") {
  const auto run = [](std::vector<std::string> words) {
    words.insert(words.begin(), built_program("longshorectl"));
    const auto result = run_program(std::move(words));
    CHECK(result.exit_code == 1);
    CHECK(result.output.empty());
    return result.errors;
  };
  CHECK_THAT(run({"stauts"}),
             StartsWith("longshorectl: there is no command \"stauts\"; did you mean \"status\"?"));
  CHECK_THAT(run({"config", "chek"}), Contains("did you mean \"check\"?"));
  CHECK_THAT(run({"status", "--outptu", "json"}), Contains("did you mean \"--output\"?"));
  CHECK_THAT(run({"st\x1b[2J"}), !Contains("\x1b"));
  CHECK_THAT(run({}),
             Contains("Usage: longshorectl") && Contains("Examples:") && Contains("Exit codes:"));
  CHECK_THAT(run({"log"}), Contains("Usage: longshorectl log"));
  CHECK_THAT(run({"status", "more"}), Contains("more"));
}
