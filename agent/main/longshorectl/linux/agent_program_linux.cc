#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "main/longshorectl/agent_program.h"
#include "observe/last_error.h"

namespace longshore::ctl {
namespace {

using observe::last_error;

// A file in memory for one of the program's standard streams. Unlike a pipe it is never full, so
// nobody has to read while the program runs.
class StreamFile {
 public:
  StreamFile() : descriptor_(::memfd_create("longshorectl", MFD_CLOEXEC)) {}
  StreamFile(const StreamFile&) = delete;
  StreamFile& operator=(const StreamFile&) = delete;
  ~StreamFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }

  bool fill(const std::string& text) {
    size_t written = 0;
    while (written < text.size()) {
      const ssize_t part = ::write(descriptor_, text.data() + written, text.size() - written);
      if (part < 0) return false;
      written += static_cast<size_t>(part);
    }
    return ::lseek(descriptor_, 0, SEEK_SET) == 0;
  }

  std::string text() const {
    std::string all;
    std::array<char, 4096> piece{};
    for (;;) {
      const ssize_t part =
          ::pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(all.size()));
      if (part <= 0) return all;
      all.append(piece.data(), static_cast<size_t>(part));
    }
  }

 private:
  const int descriptor_;
};

// What the program gets as its descriptors 0 to 2.
class StreamActions {
 public:
  StreamActions() { ::posix_spawn_file_actions_init(&actions_); }
  StreamActions(const StreamActions&) = delete;
  StreamActions& operator=(const StreamActions&) = delete;
  ~StreamActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void give(const StreamFile& file, int descriptor) {
    ::posix_spawn_file_actions_adddup2(&actions_, file.descriptor(), descriptor);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

Result<int> exit_code_of(pid_t process, const std::string& program) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) {
      return Error(StatusCode::kUnknown, "wait for", program).because(last_error());
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
                                     const std::string& input, ProgramOutput output) {
  std::error_code error;
  const auto own_path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return Error(StatusCode::kUnknown, "find longshored").because(error);
  std::string program = agent_program_beside(own_path);

  StreamFile in, out, errors;
  if (!in.fill(input)) {
    return Error(StatusCode::kUnknown, "prepare the input of", program).because(last_error());
  }
  StreamActions actions;
  actions.give(in, STDIN_FILENO);
  if (output == ProgramOutput::kCaptured) {
    actions.give(out, STDOUT_FILENO);
    actions.give(errors, STDERR_FILENO);
  }
  std::vector<char*> words{program.data()};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.data()));
  words.push_back(nullptr);
  std::array<char*, 1> no_environment{nullptr};
  pid_t process = -1;
  if (const int code = ::posix_spawn(&process, program.c_str(), actions.get(), nullptr,
                                     words.data(), no_environment.data());
      code != 0) {
    return Error(StatusCode::kUnknown, "start", program)
        .because(std::error_code(code, std::generic_category()))
        .advise("longshorectl reads configuration with the longshored that is installed with it");
  }
  const Result<int> code = exit_code_of(process, program);
  if (!code) return code.error();
  return ProgramEnd{*code, out.text(), errors.text()};
}

}  // namespace longshore::ctl
