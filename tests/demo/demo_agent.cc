#include "tests/demo/demo_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "tests/demo/demo_directory.h"

namespace longshore::demo {
namespace {

constexpr int kStartMilliseconds = 30'000;
constexpr int kStopMilliseconds = 40'000;
const std::string kNotifySocket = std::string(kDirectory) + "/notify";
const std::string kLog = std::string(kDirectory) + "/agent.log";

Error agent_failure(const char* operation, int code) {
  return Error(StatusCode::kUnknown, operation)
      .because(std::error_code(code, std::generic_category()));
}

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

std::string log_text() {
  std::ifstream file(kLog);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

void hold_back_interrupts() {
  const sigset_t set = interrupts();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

bool is_interrupted() {
  sigset_t pending;
  ::sigpending(&pending);
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

Result<std::unique_ptr<DemoAgent>> DemoAgent::start(std::vector<std::string> command) {
  std::unique_ptr<DemoAgent> agent(new DemoAgent);
  agent->notify_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  kNotifySocket.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (agent->notify_ < 0 ||
      ::bind(agent->notify_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return agent_failure("make the socket for notifications", errno);
  }
  const auto begin = std::chrono::steady_clock::now();
  if (auto spawned = agent->spawn(command); !spawned) return std::move(spawned).error();
  if (auto serving = agent->wait_until_serving(); !serving) return std::move(serving).error();
  agent->time_to_serve_ = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  return agent;
}

Result<void> DemoAgent::spawn(std::vector<std::string>& command) {
  std::string notify = "NOTIFY_SOCKET=" + kNotifySocket;
  const std::array<char*, 2> environment{notify.data(), nullptr};
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, kLog.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  // A group of its own, so that the terminal's interrupt reaches only the demonstration, which then
  // ends the agent in order; and no signal is blocked in it.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const int code =
      ::posix_spawn(&process_, words[0], &actions, &attributes, words.data(), environment.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (code != 0) {
    process_ = -1;
    return agent_failure("start longshored", code);
  }
  process_descriptor_ = static_cast<int>(::syscall(SYS_pidfd_open, process_, 0));
  if (process_descriptor_ < 0) return agent_failure("watch longshored", errno);
  return {};
}

Result<void> DemoAgent::wait_until_serving() {
  const sigset_t set = interrupts();
  const int interrupt = ::signalfd(-1, &set, SFD_CLOEXEC);
  std::array<pollfd, 3> events{
      {{notify_, POLLIN, 0}, {process_descriptor_, POLLIN, 0}, {interrupt, POLLIN, 0}}};
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kStartMilliseconds);
  std::string state;
  while (!state.starts_with("READY=1")) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    const bool comes = left.count() > 0 &&
                       ::poll(events.data(), events.size(), static_cast<int>(left.count())) > 0;
    if (!comes || (events[0].revents & POLLIN) == 0) break;
    state.resize(256);
    const ssize_t size = ::recv(notify_, state.data(), state.size(), 0);
    state.resize(size > 0 ? static_cast<size_t>(size) : 0);
  }
  ::close(interrupt);
  if (state.starts_with("READY=1")) return {};
  return Error(StatusCode::kUnavailable, "get longshored to serve")
      .because(is_interrupted() ? "interrupted" : "it says\n" + log_text());
}

Result<void> DemoAgent::stop() {
  if (process_ < 0) return {};
  ::kill(process_, SIGTERM);
  pollfd ended{process_descriptor_, POLLIN, 0};
  if (::poll(&ended, 1, kStopMilliseconds) != 1) ::kill(process_, SIGKILL);
  int status = 0;
  ::waitpid(std::exchange(process_, -1), &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error(StatusCode::kInternal, "end longshored in order").because("it says\n" + log_text());
}

DemoAgent::~DemoAgent() {
  const auto ignored = stop();  // on the way out of an error, which is told already
  if (process_descriptor_ >= 0) ::close(process_descriptor_);
  if (notify_ >= 0) ::close(notify_);
}

}  // namespace longshore::demo
