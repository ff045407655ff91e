#include "tests/hostile_clients/attacked_agent.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/hostile_clients/victim.h"
#include "tests/support/test_client.h"

namespace longshore::hostile_clients {

bool AttackedAgent::is_configured(const std::string& configuration,
                                  const std::string& echo_module) const {
  return configuration == configuration_ && echo_module == echo_module_;
}

void AttackedAgent::warm_up() const {
  Victim victim(*this);
  test::TestClient client(echo_socket());
  std::vector<std::shared_ptr<test::Answer>> answers;
  for (int i = 0; i < 200; ++i) {
    answers.push_back(client.start("longshore.echo.v1.Echo/Say", {}));
  }
  client.run_until([&] {
    return std::all_of(answers.begin(), answers.end(),
                       [](const auto& answer) { return answer->finished(); });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

}  // namespace longshore::hostile_clients
