#include "tests/guest/file_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "longshore/linux/file_descriptor.hpp"
#include "tests/support/eventually.h"
#include "tests/support/program_run.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

// Runs the program that the guest names by a variable.
void run(const std::vector<std::string>& arguments, const std::string& input = {}) {
  const char* const program = std::getenv("LONGSHORE_GUEST_FILE_SERVER");
  require(program != nullptr, "this is no guest: there is no LONGSHORE_GUEST_FILE_SERVER");
  std::vector<std::string> command{program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProgramRun ended = run_program(command, input);
  require(ended.exit_code == 0, arguments.front() + ": " + ended.output + ended.errors);
}

bool listens() {
  const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(445);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

}  // namespace

FileServer::FileServer() {
  if (is_samba()) thaw();  // a case may have ended too early for its own
  start();
  set_password(kFirstPassword);
  for (const auto& entry : std::filesystem::directory_iterator(kDirectory)) {
    std::filesystem::remove_all(entry.path());
  }
}

FileServer::~FileServer() {
  try {
    if (!is_usual_) stop();
  } catch (const std::exception& error) {
    std::cerr << "the file server is not stopped: " << error.what() << '\n';
  }
}

bool FileServer::is_samba() { return std::filesystem::exists("/usr/sbin/smbd"); }

void FileServer::start(const Settings& settings) {
  if (listens()) return;
  std::vector<std::string> arguments{"start"};
  if (!settings.without.empty()) {
    arguments.insert(arguments.end(), {"--without", settings.without});
  }
  arguments.insert(arguments.end(), settings.lines.begin(), settings.lines.end());
  run(arguments);
  is_usual_ = arguments.size() == 1;
  require(eventually(listens), "the file server does not start");
}

void FileServer::stop() {
  run({"stop"});
  is_usual_ = true;
  require(eventually([] { return !listens(); }), "the file server does not stop");
}

void FileServer::set_password(const std::string& password) {
  run({"password", kUser}, password + "\n");
}

void FileServer::freeze() {
  is_usual_ = false;
  run({"freeze"});
}

void FileServer::thaw() { run({"thaw"}); }

}  // namespace longshore::test
