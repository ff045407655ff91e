#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "tests/hostile_clients/attacked_agent.h"
#include "tests/support/test_client.h"
#include "tests/windows/agent_program.h"

namespace longshore::hostile_clients {
namespace {

using boost::asio::ip::tcp;

// HTTP has no pipe.
uint16_t free_port() {
  boost::asio::io_context io;
  return tcp::acceptor(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0))
      .local_endpoint()
      .port();
}

}  // namespace

struct AttackedAgent::System {
  test::TemporaryDirectory root;
  test::AgentFolder folder;
  const std::string port = std::to_string(free_port());
  std::optional<test::AgentProgram> program;
};

AttackedAgent::AttackedAgent(const std::string& configuration, const std::string& echo_module)
    : configuration_(configuration),
      echo_module_(echo_module),
      system_(std::make_unique<System>()) {
  configure({});
  system_->program.emplace(system_->folder);
  if (!system_->program->serves()) {
    throw std::runtime_error("the agent does not serve:\n" + log());
  }
  warm_up();
}

AttackedAgent::~AttackedAgent() = default;

void AttackedAgent::configure(const std::string& more_of_echo) const {
  test::write_file(system_->folder.config_file(),
                   system_->folder.agent_section() + "stop_timeout = \"5s\"\n" +
                       "[modules.filesystem]\nsettings.allowed_roots = ['" + victim_path() +
                       "']\n[modules.echo]\n" + echo_module_ + more_of_echo +
                       "\n[endpoints.echo]\naddress = 'npipe://" + echo_socket() +
                       "'\nservices = [\"longshore.echo.v1.Echo\"]\n" + configuration_ +
                       "\n[agent.http]\naddress = \"" + http_socket() + "\"\n");
}

bool AttackedAgent::reload() {
  test::TestClient client(control_socket());
  return client.call("longshore.admin.v1.Admin/Reload", {})->code() == StatusCode::kOk;
}

std::string AttackedAgent::echo_socket() const { return system_->folder.echo_pipe(); }

std::string AttackedAgent::control_socket() const { return system_->folder.control_pipe(); }

std::string AttackedAgent::victim_socket() const {
  return system_->folder.csi_proxy_pipe("filesystem-v1");
}

std::string AttackedAgent::victim_path() const { return system_->root.path().string(); }

std::string AttackedAgent::http_socket() const { return "127.0.0.1:" + system_->port; }

std::string AttackedAgent::http_page(const std::string& path) const {
  tcp::iostream http;
  http.expires_after(std::chrono::seconds(30));
  http.connect("127.0.0.1", system_->port);
  http << "GET " << path << " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
       << std::flush;
  return {std::istreambuf_iterator<char>(http), {}};
}

std::string AttackedAgent::log() const { return system_->folder.log(); }

size_t AttackedAgent::log_bytes() const {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(system_->folder / "log", ignored);
  return ignored ? 0 : static_cast<size_t>(size);
}

ProcessId AttackedAgent::id() const { return system_->program->id(); }

bool AttackedAgent::is_running() const { return system_->program->is_running(); }

int AttackedAgent::stop() {
  if (!is_running()) return 1;
  system_->program->kill();
  return 0;
}

}  // namespace longshore::hostile_clients
