#include "tests/bench/disks/command_life.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>
#include <vector>

extern char** environ;

namespace longshore::bench {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

void run_command(const std::string& command_line, const std::string& input) {
  std::vector<std::string> words = words_of(command_line);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[0], STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[0]);
  const bool written =
      ::write(pipe[1], input.data(), input.size()) == static_cast<ssize_t>(input.size());
  ::close(pipe[1]);
  int status = -1;
  if (error != 0 || ::waitpid(child, &status, 0) != child || status != 0 || !written) {
    throw std::runtime_error("failed: " + command_line);
  }
}

void live_by_commands(test::LoopDisk& disk, const std::string& filesystem,
                      const std::string& target, uint64_t grown, Stopwatch& times) {
  const std::string node = disk.node(), partition = node + "p1";
  times.time("partition", [&] {
    run_command("sfdisk -q --no-reread " + node, "label: gpt\n,\n");
    // The kernel here may have no parser for the table.
    run_command("partx -u " + node);
  });
  times.time("format", [&] {
    run_command("mkfs." + filesystem + (filesystem == "ext4" ? " -q -m 0 " : " -q ") + partition);
  });
  times.time("mount", [&] { run_command("mount " + partition + " " + target); });
  if (grown != 0) {
    disk.grow(grown);
    times.time("resize", [&] {
      run_command("sfdisk -q --no-reread --no-tell-kernel -N 1 " + node, ", +\n");
      run_command("partx -u " + node);
      if (filesystem == "ext4") run_command("resize2fs " + partition);
      if (filesystem == "xfs") run_command("xfs_growfs " + target);
      if (filesystem == "btrfs") run_command("btrfs filesystem resize max " + target);
    });
  }
  times.time("unmount", [&] { run_command("umount " + target); });
}

}  // namespace longshore::bench
