#include "tests/support/program_run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <system_error>

#include "longshore/linux/spawn.hpp"
#include "tests/support/temporary_directory.h"

extern char** environ;

namespace longshore::test {
namespace {

std::string content(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& command, const std::string& input) {
  const TemporaryDirectory directory;
  const std::string in = directory / "in", out = directory / "out", errors = directory / "errors";
  write_file(in, input);
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL;
  SpawnPlan plan(SpawnPlan::Session::kShared);
  plan.open(STDIN_FILENO, in, O_RDONLY);
  plan.open(STDOUT_FILENO, out, kNew, 0600);
  plan.open(STDERR_FILENO, errors, kNew, 0600);
  for (char** each = environ; *each; ++each) plan.set_environment(*each);
  const Result<pid_t> process = plan.spawn(command);
  if (!process) throw std::system_error(process.error().system(), command[0]);
  int status = 0;
  waitpid(*process, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content(out),
          content(errors)};
}

}  // namespace longshore::test
