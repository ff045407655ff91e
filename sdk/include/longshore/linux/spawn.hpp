// How a program is started on Linux: by its absolute path and an array of arguments, without a
// shell, with an empty environment, no signal blocked, and the default action of every signal but
// SIGPIPE, which stays as it is here.
//
//     SpawnPlan plan;
//     plan.open(STDIN_FILENO, "/dev/null", O_RDONLY);
//     plan.duplicate(output.get(), STDOUT_FILENO);
//     plan.close_all_but({});
//     const Result<pid_t> child = plan.spawn({"/usr/sbin/mkfs.ext4", "-q", node});
//
// It is posix_spawn(3): fork() would copy the locks that other threads of the agent hold. Threads:
// one at a time; spawn() may be called more than once.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "longshore/result.hpp"

namespace longshore {

class SpawnPlan {
 public:
  // kOwn: the program leads a session of its own, so that it and all that it starts can be ended by
  // kill(-child). kShared: it stays in this process's session, and the terminal's Ctrl-C reaches
  // it.
  enum class Session { kOwn, kShared };

  explicit SpawnPlan(Session session = Session::kOwn) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    // Left as it is here, which is ignored in the agent: one that outlives us may then write to a
    // pipe that nobody reads any more.
    sigdelset(&all, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                      (session == Session::kOwn ? POSIX_SPAWN_SETSID : 0);
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  // The program finds a file opened as descriptor `number`; `mode` as of open(2).
  void open(int number, const std::string& path, int flags, mode_t mode = 0) {
    keep(posix_spawn_file_actions_addopen(&actions_, number, path.c_str(), flags, mode));
  }

  // The program finds `from` as `to`; onto itself, it stays open although it is O_CLOEXEC.
  void duplicate(int from, int to) { keep(posix_spawn_file_actions_adddup2(&actions_, from, to)); }

  // Closes every descriptor from 3 on that is not in `kept`. Not all in this process need be
  // O_CLOEXEC, and who waits for the end of one would wait for the program's.
  void close_all_but(const std::vector<int>& kept) {
    int next = STDERR_FILENO + 1;
    for (const int last = kept.empty() ? next : std::ranges::max(kept) + 1; next < last; ++next) {
      if (std::ranges::find(kept, next) == kept.end()) {
        keep(posix_spawn_file_actions_addclose(&actions_, next));
      }
    }
    keep(posix_spawn_file_actions_addclosefrom_np(&actions_, next));
  }

  // One variable of the environment, as "NAME=value"; without any, the environment is empty.
  void set_environment(std::string variable) { environment_.push_back(std::move(variable)); }

  // Starts the program that the first argument names, by an absolute path. UNKNOWN with the
  // system's code when it cannot be started. The caller waits for the child.
  Result<pid_t> spawn(const std::vector<std::string>& arguments) const {
    const std::vector<char*> words = pointers_to(arguments), variables = pointers_to(environment_);
    pid_t child = 0;
    int error = error_;
    if (error == 0) {
      error =
          posix_spawn(&child, words[0], &actions_, &attributes_, words.data(), variables.data());
    }
    if (error == 0) return child;
    return Error(StatusCode::kUnknown, "run", arguments[0])
        .because(std::error_code(error, std::generic_category()));
  }

 private:
  // posix_spawn does not change them, though its type says so.
  static std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  // The first that went wrong: a descriptor that is none, say. spawn() tells of it.
  void keep(int error) {
    if (error_ == 0) error_ = error;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
  std::vector<std::string> environment_;
  int error_ = 0;
};

}  // namespace longshore
