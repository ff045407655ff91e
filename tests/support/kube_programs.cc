#include "tests/support/kube_programs.h"

#include "tests/support/build_tree.h"
#include "tests/support/program_run.h"

namespace longshore::test {
namespace {

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::string find_programs() {
  const ProgramRun run = run_program({source_tree() + "/tests/kube/build_api_server.sh"});
  if (run.exit_code == 77) throw NoKubePrograms(last_line(run.errors));
  if (run.exit_code != 0) throw std::runtime_error("build_api_server.sh: " + run.errors);
  return last_line(run.output);
}

}  // namespace

std::string kube_programs() {
  // The script reads the package index, which takes seconds; a test starts several servers.
  static const std::string programs = find_programs();
  return programs;
}

}  // namespace longshore::test
