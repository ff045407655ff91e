#include "agent_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "tests/support/build_tree.h"

extern char** environ;

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

constexpr int kPatienceMilliseconds = 60'000;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int notify_socket(const std::string& path) {
  fs::remove(path);
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  if (descriptor < 0 ||
      bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    fail("the socket for notifications");
  }
  return descriptor;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

AgentDirectory::AgentDirectory() {
  fs::create_directory(root());
  configure();
}

void AgentDirectory::configure(const std::string& more, const std::string& echo) const {
  write_configuration("[agent]\nrun_dir = \"" + (directory_ / "run") + "\"\ncontrol_dir = \"" +
                      (directory_ / "control") + "\"\nstate_dir = \"" + (directory_ / "state") +
                      "\"\nmodule_dirs = [\"" + built_modules() + "\"]\nstop_timeout = \"5s\"\n" +
                      "[modules.filesystem]\nsettings.allowed_roots = [\"" + root() +
                      "\"]\n[modules.echo]\n" + echo + "\n[endpoints.echo]\naddress = \"unix://" +
                      echo_socket() + "\"\nservices = [\"longshore.echo.v1.Echo\"]\n" + more);
}

void AgentDirectory::write_configuration(const std::string& text) const {
  write_file(config_file() + ".new", text);
  fs::rename(config_file() + ".new", config_file());
}

std::string AgentDirectory::filesystem_socket(const std::string& version) const {
  const std::string name = "filesystem-" + version;
  return directory_ / ("run/csi-proxy/" + name + "/csi-proxy-" + name + ".sock");
}

std::string AgentDirectory::log() const {
  std::ifstream file(log_file());
  return {std::istreambuf_iterator<char>(file), {}};
}

AgentProcess::AgentProcess(const AgentDirectory& directory, Options options)
    : notify_(notify_socket(directory / "notify")) {
  std::vector<std::string> words = {built_program("longshored"), "--no-ownership-check", "--config",
                                    directory.config_file()};
  if (!options.command.empty()) words = options.command;
  words.insert(words.end(), options.more_words.begin(), options.more_words.end());
  std::vector<std::string> variables = {"NOTIFY_SOCKET=" + (directory / "notify"),
                                        "LISTEN_FDS=" + std::to_string(options.sockets.size()),
                                        "LISTEN_PID=" + std::string(16, '\0')};
  variables.insert(variables.end(), options.variables.begin(), options.variables.end());
  for (char** each = environ; *each; ++each) variables.emplace_back(*each);
  const auto arguments = pointers_to(words);
  const auto environment = pointers_to(variables);
  const int log =
      open(directory.log_file().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) fail("the log");
  const int members = open((options.cgroup + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  id_ = fork();
  if (id_ < 0) fail("fork");
  if (id_ == 0) {
    // Between fork and exec only what may be called after a signal too.
    if (!options.cgroup.empty() && write(members, "0", 1) != 1) _exit(127);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    // First out of the way of the numbers from 3 on, then to them.
    for (int& socket : options.sockets) socket = fcntl(socket, F_DUPFD_CLOEXEC, 100);
    int number = 3;
    for (const int socket : options.sockets) dup2(socket, number++);
    char* const text = environment[2] + std::strlen("LISTEN_PID=");
    std::snprintf(text, 16, "%d", getpid());
    execve(arguments[0], arguments.data(), environment.data());
    _exit(127);
  }
  close(log);
  close(members);
  process_ = static_cast<int>(syscall(SYS_pidfd_open, id_, 0));
  if (process_ < 0) fail("pidfd_open");
  serves_ = options.until_serving && await_state("READY=1");
}

AgentProcess::~AgentProcess() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  close(process_);
  close(notify_);
}

void AgentProcess::signal(int number) const {
  if (id_ > 0) kill(id_, number);  // -1, after its end, would mean every process there is
}

bool AgentProcess::await_state(const std::string& state) {
  for (;;) {
    pollfd wanted[] = {{notify_, POLLIN, 0}, {process_, POLLIN, 0}};
    if (poll(wanted, 2, kPatienceMilliseconds) <= 0) return false;
    if ((wanted[0].revents & POLLIN) == 0) return false;  // it has ended
    char text[256];
    const ssize_t size = recv(notify_, text, sizeof(text), 0);
    if (size > 0 && std::string(text, static_cast<size_t>(size)).rfind(state, 0) == 0) return true;
  }
}

bool AgentProcess::reload() {
  signal(SIGHUP);
  return await_state("RELOADING=1") && await_state("READY=1");
}

int AgentProcess::wait() {
  pollfd wanted{process_, POLLIN, 0};
  if (poll(&wanted, 1, kPatienceMilliseconds) != 1) return -1;
  int status = 0;
  waitpid(std::exchange(id_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int AgentProcess::stop() {
  signal(SIGTERM);
  return wait();
}

}  // namespace longshore::test
