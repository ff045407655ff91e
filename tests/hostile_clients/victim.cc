#include "tests/hostile_clients/victim.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>

#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

namespace longshore::hostile_clients {

using std::chrono::steady_clock;

double VictimReport::percentile(double share) const {
  if (milliseconds.empty()) return 0;
  std::vector<double> sorted = milliseconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

Victim::Victim(const AttackedAgent& agent, bool asks_control)
    : socket_(agent.victim_socket()),
      control_(asks_control ? agent.control_socket() : std::string()),
      path_(agent.victim_path()),
      thread_([this] { call_until_told(); }) {}

Victim::~Victim() { end(); }

VictimReport Victim::end() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
  return report_;
}

void Victim::call_until_told() {
  std::unique_ptr<test::TestClient> client;
  const auto call = [&](test::TestClient& peer, const std::string& method, std::string request) {
    const auto answer = peer.call(method, std::move(request));
    if (answer->code() == StatusCode::kOk) return;
    if (answer->code() == StatusCode::kResourceExhausted) ++report_.refused;
    throw std::runtime_error(std::string(status_code_name(answer->code())) + " " + answer->text());
  };
  for (size_t number = 0; number == 0 || !ends_; ++number) {
    try {
      if (!client || number % 10 == 0) client = std::make_unique<test::TestClient>(socket_);
      if (number % 20 == 0 && !control_.empty()) {
        test::TestClient operator_client(control_);
        call(operator_client, "longshore.admin.v1.Admin/GetStatus", {});
      }
      const auto begin = steady_clock::now();
      call(*client, "v1.Filesystem/PathExists", test::WireWriter().text(1, path_));
      const std::chrono::duration<double, std::milli> time = steady_clock::now() - begin;
      report_.milliseconds.push_back(time.count());
      ++report_.answered;
      served_ = true;
    } catch (const std::exception& error) {
      if (report_.failed++ == 0) report_.first_failure = error.what();
      client.reset();
    }
    // A driver's pace: it must not be the one who uses up the processors.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace longshore::hostile_clients
