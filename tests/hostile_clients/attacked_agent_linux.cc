#include <filesystem>
#include <optional>
#include <stdexcept>

#include "tests/hostile_clients/attacked_agent.h"
#include "tests/support/agent_process.h"
#include "tests/support/http_connection.h"
#include "tests/support/process_status.h"

namespace longshore::hostile_clients {

namespace fs = std::filesystem;

struct AttackedAgent::System {
  test::AgentDirectory directory;
  std::optional<test::AgentProcess> process;
};

AttackedAgent::AttackedAgent(const std::string& configuration, const std::string& echo_module)
    : configuration_(configuration),
      echo_module_(echo_module),
      system_(std::make_unique<System>()) {
  const test::AgentDirectory& directory = system_->directory;
  // Other users are among the attackers; the folders of the sockets are the agent's.
  fs::permissions(fs::path(directory.config_file()).parent_path(), fs::perms(0755));
  configure({});
  system_->process.emplace(directory);
  if (!system_->process->serves()) {
    throw std::runtime_error("the agent does not serve:\n" + directory.log());
  }
  warm_up();
}

AttackedAgent::~AttackedAgent() = default;

void AttackedAgent::configure(const std::string& more_of_echo) const {
  system_->directory.configure(
      configuration_ + "\n[agent.http]\naddress = \"unix://" + http_socket() + "\"\n",
      echo_module_ + more_of_echo);
}

bool AttackedAgent::reload() { return system_->process->reload(); }

std::string AttackedAgent::echo_socket() const { return system_->directory.echo_socket(); }

std::string AttackedAgent::control_socket() const { return system_->directory.control_socket(); }

std::string AttackedAgent::victim_socket() const {
  return system_->directory.filesystem_socket("v1");
}

std::string AttackedAgent::victim_path() const { return system_->directory.root(); }

std::string AttackedAgent::http_socket() const { return system_->directory / "http.sock"; }

std::string AttackedAgent::http_page(const std::string& path) const {
  return test::HttpConnection(http_socket()).get(path).body;
}

std::string AttackedAgent::log() const { return system_->directory.log(); }

size_t AttackedAgent::log_bytes() const {
  std::error_code ignored;
  const auto size = fs::file_size(system_->directory.log_file(), ignored);
  return ignored ? 0 : static_cast<size_t>(size);
}

ProcessId AttackedAgent::id() const { return system_->process->id(); }

bool AttackedAgent::is_running() const { return test::is_alive(id()); }

int AttackedAgent::stop() { return system_->process->stop(); }

}  // namespace longshore::hostile_clients
