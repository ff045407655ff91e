#include "tests/hostile_clients/reloads.h"

#include <chrono>
#include <string>

#include "tests/support/eventually.h"
#include "tests/support/test_client.h"

namespace longshore::hostile_clients {
namespace {

std::string greeting(int number) { return "greeting " + std::to_string(number); }

}  // namespace

Reloads::Reloads(AttackedAgent& agent) : agent_(agent), thread_([this] { reload_until_told(); }) {}

Reloads::~Reloads() { end(); }

void Reloads::end() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
}

bool Reloads::end_after(int count) {
  const bool is_reached = test::eventually([&] { return done_ >= count; });
  end();
  return is_reached;
}

bool Reloads::is_last_served() const {
  test::TestClient client(agent_.echo_socket());
  const auto answer = client.call("longshore.echo.v1.Echo/Describe", {});
  return answer->code() == StatusCode::kOk &&
         answer->messages.at(0).find(greeting(done_)) != std::string::npos;
}

void Reloads::reload_until_told() {
  while (!ends_) {
    // Where it has failed, the last of them is not what "echo" says.
    agent_.configure("settings.greeting = \"" + greeting(done_ + 1) + "\"\n");
    if (agent_.reload()) ++done_;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace longshore::hostile_clients
