#include "tests/support/private_bus.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "longshore/linux/file_descriptor.hpp"
#include "longshore/linux/spawn.hpp"

namespace longshore::test {
namespace {

// As little as a bus can be: whoever may connect may own and send everything.
std::string configuration(const std::string& address) {
  return "<busconfig><type>custom</type><listen>" + address +
         "</listen><auth>EXTERNAL</auth><policy context=\"default\"><allow send_destination=\"*\"/>"
         "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>";
}

}  // namespace

PrivateBus::PrivateBus() : address_("unix:path=" + directory_ / "bus") {
  write_file(directory_ / "bus.conf", configuration(address_));
  start();
}

PrivateBus::~PrivateBus() { stop(); }

void PrivateBus::start() {
  // The daemon prints its address once it listens.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const FileDescriptor ready(ends[0]);
  FileDescriptor printed(ends[1]);
  SpawnPlan plan;
  plan.duplicate(printed.get(), STDOUT_FILENO);
  plan.open(STDERR_FILENO, directory_ / "log", O_WRONLY | O_CREAT | O_APPEND, 0600);
  const Result<pid_t> daemon =
      plan.spawn({"/usr/bin/dbus-daemon", "--config-file=" + directory_ / "bus.conf", "--nofork",
                  "--nopidfile", "--nosyslog", "--print-address=1"});
  if (daemon) daemon_ = *daemon;
  printed = FileDescriptor();
  char byte = 0;
  if (!daemon || ::read(ready.get(), &byte, 1) != 1) {
    throw std::runtime_error("dbus-daemon does not start");
  }
}

void PrivateBus::stop() {
  if (daemon_ < 0) return;
  ::kill(daemon_, SIGKILL);
  ::waitpid(daemon_, nullptr, 0);
  daemon_ = -1;
  ::unlink((directory_ / "bus").c_str());
}

void PrivateBus::freeze() {
  ::kill(daemon_, SIGSTOP);
  ::waitpid(daemon_, nullptr, WUNTRACED);
}

void PrivateBus::resume() { ::kill(daemon_, SIGCONT); }

}  // namespace longshore::test
