#include "tests/guest/service_world.h"

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "filesystem/v1.pb.h"
#include "tests/support/build_tree.h"
#include "tests/support/require.h"
#include "tests/support/temporary_directory.h"

namespace longshore::test {
namespace {

constexpr const char* kHostileSocket = "/run/longshore/hostile/hostile.sock";
constexpr const char* kConfiguration = "/etc/longshore/agent.toml";
const std::string kSockets[] = {"longshore.socket", "longshore-control.socket"};

ProgramRun journalctl(std::vector<std::string> words) {
  words.insert(words.begin(), "/usr/bin/journalctl");
  words.emplace_back("--quiet");
  return run_program(words);
}

}  // namespace

std::string hostile_lines(const std::string& module, const std::optional<std::string>& process) {
  std::string text = "[modules.hostile]\nlibrary = \"" + hostile_module(module) + "\"\n";
  if (process) text += "isolation = \"process\"\n[modules.hostile.process]\n" + *process;
  return text + "[endpoints.hostile]\naddress = \"unix://" + kHostileSocket +
         "\"\nservices = [\"hostile.v1.Hostile\"]\n";
}

std::shared_ptr<Answer> provoke(const std::string& request) {
  TestClient client(kHostileSocket);
  return client.call("hostile.v1.Hostile/Do", request);
}

InstalledAgent::InstalledAgent(const std::string& more) : GroupClients("/run/longshore") {
  std::filesystem::create_directories(kRoot);
  std::filesystem::create_directories("/etc/longshore/conf.d");
  configure(more);
  forget_journal();
  const ProgramRun started = systemctl({"start", kSockets[0], kSockets[1]});
  require(started.exit_code == 0, started.errors);
}

InstalledAgent::~InstalledAgent() {
  disconnect();
  systemctl({"stop", kSockets[0], kSockets[1], kService});
  systemctl({"kill", "--signal=KILL", kService});
  systemctl({"reset-failed", kService});
  CHECK(refusals() == "");
}

void InstalledAgent::configure(const std::string& more) const {
  std::string text;
  for (const char* group : {"disk", "iscsi", "smb", "system", "volume", "filesystem"}) {
    text += std::string("[modules.") + group + "]\n";
  }
  write_file(kConfiguration, text + more);
}

void InstalledAgent::must(const std::string& verb) {
  const ProgramRun done = systemctl({verb, kService});
  INFO(verb << ": " << done.output << done.errors << journal());
  REQUIRE(done.exit_code == 0);
  disconnect();  // from one that is gone, perhaps
}

pid_t InstalledAgent::process() const { return std::stoi(property("MainPID")); }

std::string InstalledAgent::cgroup() const { return "/sys/fs/cgroup" + property("ControlGroup"); }

void InstalledAgent::forget_journal() {
  journalctl({"--sync"});
  constexpr std::string_view kMark = "-- cursor: ";
  const std::string last = journalctl({"--lines=1", "--show-cursor"}).output;
  const size_t found = last.rfind(kMark);
  require(found != std::string::npos, "the journal tells nothing");
  cursor_ = last.substr(found + kMark.size());
  cursor_.pop_back();
}

std::string InstalledAgent::journal() const {
  journalctl({"--sync"});
  return journalctl({"--unit=longshore.service", "--output=cat", "--after-cursor=" + cursor_})
      .output;
}

std::string InstalledAgent::told_by_apparmor(const std::string& what) const {
  journalctl({"--sync"});
  std::istringstream lines(
      journalctl({"--dmesg", "--output=cat", "--after-cursor=" + cursor_}).output);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("apparmor=\"" + what + "\"") != std::string::npos) found += line + "\n";
  }
  return found;
}

StatusCode InstalledAgent::asks() const {
  v1::PathExistsRequest request;
  request.set_path(kRoot);
  TestClient client(socket("filesystem", "v1"));
  return client.call("v1.Filesystem/PathExists", request.SerializeAsString())->code();
}

}  // namespace longshore::test
