#include "tests/guest/file_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>

#include "support/linux/file_descriptor.h"
#include "tests/integration/program_run.h"
#include "tests/support/eventually.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

// Runs the program that the guest names by a variable.
void run(const char* variable, const std::string& argument = {}, const std::string& input = {}) {
  const char* const program = std::getenv(variable);
  require(program != nullptr, std::string("this is no guest: there is no ") + variable);
  std::vector<std::string> command{program};
  if (!argument.empty()) command.push_back(argument);
  const ProgramRun ended = run_program(command, input);
  require(ended.exit_code == 0, std::string(program) + ": " + ended.output + ended.errors);
}

bool listens() {
  const support::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(445);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

}  // namespace

FileServer::FileServer() {
  start();
  set_password(kFirstPassword);
  for (const auto& entry : std::filesystem::directory_iterator(kDirectory)) {
    std::filesystem::remove_all(entry.path());
  }
}

void FileServer::start() {
  if (listens()) return;
  run("LONGSHORE_GUEST_SMB_START");
  require(eventually(listens), "the file server does not start");
}

void FileServer::stop() {
  run("LONGSHORE_GUEST_SMB_STOP");
  require(eventually([] { return !listens(); }), "the file server does not stop");
}

void FileServer::set_password(const std::string& password) {
  run("LONGSHORE_GUEST_SMB_PASSWORD_PROGRAM", kUser, password + "\n");
}

}  // namespace longshore::test
