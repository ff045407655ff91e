#include "support/linux/command.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>

#include "support/linux/file_descriptor.h"

namespace longshore::support {
namespace {

constexpr size_t kMaxComplaintBytes = 2048;

// posix_spawn's two objects, which have to be destroyed.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGPIPE);  // one that outlives us may complain to nobody
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  void open_null(int number, int flags) {
    posix_spawn_file_actions_addopen(&actions_, number, "/dev/null", flags, 0);
  }
  void duplicate(int from, int to) { posix_spawn_file_actions_adddup2(&actions_, from, to); }

  // From 3 on. Not everything in this process is O_CLOEXEC: the agent's clients, for one, would
  // wait for the program's end when the agent is killed.
  void close_all_but(const std::vector<int>& kept) {
    int next = STDERR_FILENO + 1;
    for (const int last = kept.empty() ? next : std::ranges::max(kept) + 1; next < last; ++next) {
      if (std::ranges::find(kept, next) == kept.end()) {
        posix_spawn_file_actions_addclose(&actions_, next);
      }
    }
    posix_spawn_file_actions_addclosefrom_np(&actions_, next);
  }

  // 0 or an errno.
  int spawn(const std::vector<std::string>& arguments, pid_t& child) {
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    char* no_environment[] = {nullptr};
    return ::posix_spawn(&child, argv[0], &actions_, &attributes_, argv.data(), no_environment);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Keeps the end of what is written to the pipe until nobody writes any more.
std::string read_complaint(const FileDescriptor& pipe) {
  std::string text;
  char buffer[1024];
  for (;;) {
    const ssize_t size = ::read(pipe.get(), buffer, sizeof(buffer));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(buffer, static_cast<size_t>(size));
    if (text.size() > kMaxComplaintBytes) text.erase(0, text.size() - kMaxComplaintBytes);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

Result<CommandEnd> run_command(const std::vector<std::string>& arguments,
                               const std::vector<int>& descriptors) {
  const auto failed = [&](std::error_code error) {
    return Error(StatusCode::kUnknown, "run", arguments[0]).because(error);
  };
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return failed(last_error());
  const FileDescriptor reading(pipe[0]);
  FileDescriptor writing(pipe[1]);

  SpawnPlan plan;
  plan.open_null(STDIN_FILENO, O_RDONLY);
  plan.open_null(STDOUT_FILENO, O_WRONLY);
  plan.duplicate(writing.get(), STDERR_FILENO);
  // Onto itself: that keeps it open although it is O_CLOEXEC.
  for (const int descriptor : descriptors) plan.duplicate(descriptor, descriptor);
  plan.close_all_but(descriptors);
  pid_t child = 0;
  if (const int error = plan.spawn(arguments, child); error != 0) {
    return failed({error, std::generic_category()});
  }
  writing = FileDescriptor();

  CommandEnd end;
  end.complaint = read_complaint(reading);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return failed(last_error());
  }
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace longshore::support
