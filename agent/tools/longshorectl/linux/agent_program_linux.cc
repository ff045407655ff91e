#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/linux/spawn.hpp"
#include "tools/longshorectl/agent_program.h"

namespace longshore::ctl {
namespace {

// A file in memory for one of the program's standard streams. Unlike a pipe it is never full, so
// nobody has to read while the program runs.
class StreamFile {
 public:
  StreamFile() : file_(::memfd_create("longshorectl", MFD_CLOEXEC)) {}

  int descriptor() const { return file_.get(); }

  std::error_code fill(const std::string& text) {
    if (!file_) return file_.error();
    const std::error_code error = write_all(file_.get(), text);
    return error ? error : error_unless(::lseek(file_.get(), 0, SEEK_SET) == 0);
  }

  std::string text() const {
    std::string all;
    std::array<char, 4096> piece{};
    for (;;) {
      const ssize_t part =
          ::pread(file_.get(), piece.data(), piece.size(), static_cast<off_t>(all.size()));
      if (part <= 0) return all;
      all.append(piece.data(), static_cast<size_t>(part));
    }
  }

 private:
  const FileDescriptor file_;
};

Result<int> exit_code_of(pid_t process, const std::string& program) {
  int status = 0;
  while (const std::error_code error = error_unless(::waitpid(process, &status, 0) >= 0)) {
    if (error != std::errc::interrupted) {
      return Error(StatusCode::kUnknown, "wait for", program).because(error);
    }
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  return Error(StatusCode::kInternal, "get an answer from", program)
      .because("signal " + std::to_string(WTERMSIG(status)) + " ended it");
}

// In the same folder as in a build, or in sbin beside bin as it is installed.
std::string agent_program_beside(const std::filesystem::path& own_path) {
  const std::filesystem::path folder = own_path.parent_path();
  std::error_code ignored;
  const bool same_folder = std::filesystem::exists(folder / "longshored", ignored);
  return same_folder ? folder / "longshored" : folder.parent_path() / "sbin" / "longshored";
}

}  // namespace

Result<ProgramEnd> run_agent_program(const std::vector<std::string>& arguments,
                                     const std::string& input) {
  std::error_code error;
  const auto own_path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error(StatusCode::kUnknown, "find longshored").because(error);
  const std::string program = agent_program_beside(own_path);

  StreamFile in, out, errors;
  error = in.fill(input);
  if (error) return Error(StatusCode::kUnknown, "prepare the input of", program).because(error);
  SpawnPlan plan(SpawnPlan::Session::kShared);
  plan.duplicate(in.descriptor(), STDIN_FILENO);
  plan.duplicate(out.descriptor(), STDOUT_FILENO);
  plan.duplicate(errors.descriptor(), STDERR_FILENO);
  plan.close_all_but({});
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Result<pid_t> process = plan.spawn(words);
  if (!process) {
    return Error(process.error())
        .advise("longshorectl reads configuration with the longshored that is installed with it");
  }
  const Result<int> code = exit_code_of(*process, program);
  if (!code) return code.error();
  return ProgramEnd{*code, out.text(), errors.text()};
}

}  // namespace longshore::ctl
