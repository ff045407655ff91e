// What an embedded agent must not do to its program: signals, descriptors, output, threads.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <future>
#include <set>

#include "tests/embed/embedded.h"
#include "tests/support/eventually.h"
#include "tests/support/process_figures.h"

namespace longshore::test {
namespace {

std::set<std::string> tasks() {
  std::set<std::string> ids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    ids.insert(task.path().filename());
  }
  return ids;
}

std::string status_field(const std::string& task, const std::string& field) {
  std::ifstream status("/proc/self/task/" + task + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return line.substr(line.find_last_of(" \t") + 1);
  }
  return {};
}

TEST_CASE("a waited call runs on the caller's thread and starts none", "[embed]") {
  Embedded embedded;
  const std::set<std::string> before = tasks();
  for (int i = 0; i < 100; ++i) {
    REQUIRE(embedded.echo().call<echo::SayResponse>("Say", say("x")));
  }
  // Some of an agent that ended before may go meanwhile.
  const std::set<std::string> after = tasks();
  CHECK(std::includes(before.begin(), before.end(), after.begin(), after.end()));
}

TEST_CASE("the agent's threads take no signals of the program's", "[embed]") {
  struct sigaction before[NSIG];
  for (int number = 1; number < NSIG; ++number) sigaction(number, nullptr, &before[number]);
  const std::set<std::string> own = tasks();
  Embedded embedded;
  std::promise<void> told;
  embedded.echo().start<echo::SayResponse>("Say", say("x"), [&](auto) { told.set_value(); });
  told.get_future().wait();

  size_t looked_at = 0;
  for (const std::string& task : tasks()) {
    if (own.contains(task)) continue;
    const uint64_t blocked = std::stoull(status_field(task, "SigBlk"), nullptr, 16);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD, SIGPIPE}) {
      CHECK((blocked >> (number - 1) & 1) == 1);
    }
    ++looked_at;
  }
  CHECK(looked_at >= 2);  // timers and the pool
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction after;
    if (sigaction(number, nullptr, &after) != 0) continue;
    CHECK(after.sa_handler == before[number].sa_handler);
  }
}

TEST_CASE("programs that the host starts get no descriptor of the agent's", "[embed]") {
  Embedded embedded;
  REQUIRE(embedded.echo().call<echo::SayResponse>("Say", say("x")));
  const std::string list = embedded.directory() / "descriptors";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, list.c_str(), O_WRONLY | O_CREAT, 0600);
  std::string program = "/bin/ls", option = "-l", folder = "/proc/self/fd";
  char* arguments[] = {program.data(), option.data(), folder.data(), nullptr};
  pid_t child = 0;
  REQUIRE(posix_spawn(&child, arguments[0], &actions, nullptr, arguments, nullptr) == 0);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);

  std::ifstream file(list);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  CHECK(text.find("-> " + list) != std::string::npos);  // the list is one
  CHECK(text.find("memfd") == std::string::npos);
  CHECK(text.find("longshore-echo") == std::string::npos);
}

TEST_CASE("nothing is printed, even when the configuration asks for every line", "[embed]") {
  TemporaryDirectory directory;
  const std::string captured = directory / "output";
  const int file = ::open(captured.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int out = ::dup(1), err = ::dup(2);
  ::dup2(file, 1);
  ::dup2(file, 2);
  bool answered = false;
  {
    Embedded embedded("[agent.log]\nlevel = \"debug\"\n[modules.echo]\n");
    echo::SayRequest faulty;
    answered = embedded.echo().call<echo::SayResponse>("Say", say("x")).ok();
    longshore_agent_call(embedded.agent().get(), "longshore.echo.v1.Echo/Say", "\xff", 1, nullptr,
                         nullptr);
  }
  ::dup2(out, 1);
  ::dup2(err, 2);
  for (const int number : {file, out, err}) ::close(number);
  CHECK(answered);
  CHECK(std::filesystem::file_size(captured) == 0);
}

TEST_CASE("agents that come and go leave no thread and no descriptor", "[embed]") {
  { Embedded first; }  // loads the image, which stays
  // Those of agents that ended before may go meanwhile.
  const std::set<std::string> threads_before = tasks();
  const size_t before = open_descriptors(getpid());
  for (int i = 0; i < 20; ++i) {
    Embedded embedded;
    REQUIRE(embedded.echo().call<echo::SayResponse>("Say", say("x")));
  }
  CHECK(open_descriptors(getpid()) <= before);
  CHECK(eventually([&] {
    const std::set<std::string> now = tasks();
    return std::includes(threads_before.begin(), threads_before.end(), now.begin(), now.end());
  }));
}

}  // namespace
}  // namespace longshore::test
