#include "tests/support/private_bus.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

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
  int ready[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::string config = "--config-file=" + directory_ / "bus.conf";
  char name[] = "dbus-daemon", nofork[] = "--nofork", nopidfile[] = "--nopidfile",
       nosyslog[] = "--nosyslog", print[] = "--print-address=1";
  char* arguments[] = {name, nofork, nopidfile, nosyslog, config.data(), print, nullptr};
  char* environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ready[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, (directory_ / "log").c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int error =
      ::posix_spawn(&daemon_, "/usr/bin/dbus-daemon", &actions, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ready[1]);
  char byte = 0;
  const bool listens = error == 0 && ::read(ready[0], &byte, 1) == 1;
  ::close(ready[0]);
  if (!listens) throw std::runtime_error("dbus-daemon does not start");
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
