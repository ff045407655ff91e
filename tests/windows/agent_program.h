// longshored.exe as a process of a test's: its folder, its configuration, its pipes, its end.
#pragma once

#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"
#include "tests/windows/started_program.h"

namespace longshore::test {

// Empty where there is no such file.
std::string text_of(const std::string& path);

// Pipes have names of their own in each run, since there is one space of names in a system.
class AgentFolder {
 public:
  AgentFolder();

  // The head of a configuration, with the folders: the state's below this one or `own`, programs
  // and modules in that too or in the build's.
  std::string agent_section(const std::string& own = {}) const;
  // The configuration with these, and the module echo on a pipe; `more` follows.
  void configure(const std::string& more = {}) const;
  std::string config_file() const { return folder_ / "agent.toml"; }
  std::string control_pipe() const { return pipes_ + "\\control\\control"; }
  std::string echo_pipe() const { return pipe("echo"); }
  std::string pipe(const std::string& name) const { return pipes_ + "\\" + name; }
  // "disk-v1"
  std::string csi_proxy_pipe(const std::string& name) const {
    return pipes_ + "\\csi-proxy-" + name;
  }
  std::string operator/(const std::string& name) const { return folder_ / name; }
  // What it prints.
  std::string log() const;

 private:
  TemporaryDirectory folder_;
  std::string pipes_;
};

struct ProgramEndState {
  int exit_code = -1;
  std::string output;  // and errors
};

// Runs a program of the build to its end. Throws where that does not come.
ProgramEndState run_program(const std::string& name, const std::vector<std::string>& words);

class AgentProgram {
 public:
  // Starts it with the folder's configuration, or with these words, and waits until it serves or
  // has ended.
  explicit AgentProgram(const AgentFolder& folder);
  AgentProgram(const AgentFolder& folder, const std::vector<std::string>& words);

  bool serves() const { return serves_; }
  bool is_running() const { return !program_.exit_code(); }
  // Waits for it.
  bool ends() const { return program_.exit_code(60'000).has_value(); }
  DWORD id() const { return program_.id(); }
  size_t handles() const { return program_.handles(); }
  size_t memory() const { return program_.working_set(); }
  void kill() { program_.kill(); }

 private:
  StartedProgram program_;
  bool serves_ = false;
};

}  // namespace longshore::test
