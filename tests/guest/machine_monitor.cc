#include "tests/guest/machine_monitor.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "tests/support/eventually.h"
#include "tests/support/read_file.h"
#include "tests/support/require.h"

namespace longshore::test {
namespace {

namespace fs = std::filesystem;

// The node of the port that run_guest.sh calls so; empty where the machine or the kernel has none.
std::string port_node() {
  std::error_code none;
  for (const auto& port : fs::directory_iterator("/sys/class/virtio-ports", none)) {
    if (read_file(port.path() / "name") == "monitor\n") return "/dev" / port.path().filename();
  }
  return {};
}

std::string quoted_number(int number) {
  return "\"" + std::to_string(::getpid()) + "-" + std::to_string(number) + "\"";
}

}  // namespace

bool MachineMonitor::exists() { return !port_node().empty(); }

MachineMonitor::MachineMonitor() : port_(::open(port_node().c_str(), O_RDWR | O_CLOEXEC)) {
  require(port_.get() >= 0, "the machine's monitor is held by another");
  // Where a test before this one has begun the talk, the answer is a refusal that does not matter.
  require(!answer_to(send("qmp_capabilities", "{}")).empty(), "the machine's monitor is silent");
}

int MachineMonitor::send(const std::string& command, const std::string& arguments) {
  const int number = ++last_;
  const std::string line = "{\"execute\": \"" + command + "\", \"arguments\": " + arguments +
                           ", \"id\": " + quoted_number(number) + "}\n";
  require(::write(port_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()),
          "the machine takes no commands");
  return number;
}

std::string MachineMonitor::execute(const std::string& command, const std::string& arguments) {
  const std::string answer = answer_to(send(command, arguments));
  require(!answer.empty(), "the machine's monitor does not answer");
  require(answer.find("\"error\"") == std::string::npos, command + " " + arguments + ": " + answer);
  return answer;
}

std::string MachineMonitor::answer_to(int number) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < end) {
    for (size_t line = 0; (line = received_.find('\n')) != std::string::npos;) {
      const std::string text = received_.substr(0, line);
      received_.erase(0, line + 1);
      if (text.find(quoted_number(number)) != std::string::npos) return text;
    }
    pollfd wanted{port_.get(), POLLIN, 0};
    if (::poll(&wanted, 1, 500) <= 0) continue;
    char text[512];
    const ssize_t length = ::read(port_.get(), text, sizeof(text));
    if (length > 0) received_.append(text, static_cast<size_t>(length));
  }
  return {};
}

}  // namespace longshore::test
