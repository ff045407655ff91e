#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace longshore::conformance {
namespace {

constexpr int kStartMilliseconds = 60'000;
constexpr int kReadMilliseconds = 10'000;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe2");
  output_ = ends[0];
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  const int error = posix_spawn(&id_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(output_);
    id_ = -1;
    throw std::system_error(error, std::generic_category(), arguments[0]);
  }
  wait_until_serving();
}

void ChildProcess::wait_until_serving() {
  std::string line;
  while (line.find('\n') == std::string::npos) {
    pollfd wanted{output_, POLLIN, 0};
    char byte = 0;
    if (poll(&wanted, 1, kStartMilliseconds) != 1 || read(output_, &byte, 1) != 1) break;
    line += byte;
  }
  if (line != "serving\n") throw std::runtime_error("the child process does not serve: " + line);
}

ChildProcess::~ChildProcess() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  close(output_);
}

int ChildProcess::stop(int signal) {
  kill(id_, signal);
  int status = 0;
  waitpid(id_, &status, 0);
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

SocketDirectory::SocketDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "longshore-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) fail("mkdtemp");
  path_ = pattern;
}

SocketDirectory::~SocketDirectory() {
  std::error_code ignored;  // a directory left behind in /tmp fails no test
  std::filesystem::remove_all(path_, ignored);
}

RawSocket::RawSocket(const std::string& path) {
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) fail("socket");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    close(socket_);
    fail("connect");
  }
}

RawSocket::~RawSocket() { close(socket_); }

bool RawSocket::write(const std::string& bytes) {
  size_t offset = 0;
  while (offset < bytes.size()) {
    const ssize_t part = send(socket_, bytes.data() + offset, bytes.size() - offset, MSG_NOSIGNAL);
    if (part <= 0) return false;
    offset += static_cast<size_t>(part);
  }
  return true;
}

void RawSocket::end_writing() { shutdown(socket_, SHUT_WR); }

std::string RawSocket::read_to_end() {
  std::string bytes;
  for (;;) {
    pollfd wanted{socket_, POLLIN, 0};
    char piece[4096];
    if (poll(&wanted, 1, kReadMilliseconds) != 1) return bytes;
    const ssize_t part = recv(socket_, piece, sizeof(piece), 0);
    if (part <= 0) return bytes;
    bytes.append(piece, static_cast<size_t>(part));
  }
}

}  // namespace longshore::conformance
