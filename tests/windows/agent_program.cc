#include "tests/windows/agent_program.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "longshore/windows/wide_text.hpp"
#include "tests/support/eventually.h"

namespace longshore::test {
namespace {

constexpr DWORD kMillisecondsOfAProgram = 60'000;

std::string in_toml(std::string text) {
  for (size_t at = 0; (at = text.find('\\', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\\');
  return '"' + text + '"';
}

}  // namespace

std::string text_of(const std::string& path) {
  std::ifstream file(std::filesystem::path(wide(path)), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

AgentFolder::AgentFolder() : pipes_(R"(\\.\pipe\)" + folder_.path().filename().string()) {}

std::string AgentFolder::agent_section(const std::string& own) const {
  const std::string programs = own.empty() ? folder_of_programs() : own;
  return "[agent]\nrun_dir = " + in_toml(pipes_) +
         "\ncontrol_dir = " + in_toml(pipes_ + "\\control") +
         "\nstate_dir = " + in_toml(own.empty() ? folder_ / "state" : own + "\\state") +
         "\nmodule_dirs = [" + in_toml(programs) +
         "]\nmodule_host = " + in_toml(programs + "\\longshore-modulehost.exe") + "\n";
}

void AgentFolder::configure(const std::string& more) const {
  write_file(config_file(),
             agent_section() + "[endpoints.echo]\naddress = " + in_toml("npipe://" + echo_pipe()) +
                 "\nservices = [\"longshore.echo.v1.Echo\"]\n[modules.echo]\n" + more);
}

std::string AgentFolder::log() const { return text_of(folder_ / "log"); }

ProgramEndState run_program(const std::string& name, const std::vector<std::string>& words) {
  const TemporaryDirectory folder;
  const std::string output = folder / "output";
  const StartedProgram program(name, words, output);
  const auto code = program.exit_code(kMillisecondsOfAProgram);
  if (!code) throw std::runtime_error(name + " does not end; it said " + text_of(output));
  return {*code, text_of(output)};
}

AgentProgram::AgentProgram(const AgentFolder& folder)
    : AgentProgram(folder, {"--config", folder.config_file()}) {}

AgentProgram::AgentProgram(const AgentFolder& folder, const std::vector<std::string>& words)
    : program_("longshored", words, folder / "log") {
  eventually([&] {
    serves_ = folder.log().find(" INFO  serving ") != std::string::npos;
    return serves_ || program_.exit_code();
  });
}

}  // namespace longshore::test
