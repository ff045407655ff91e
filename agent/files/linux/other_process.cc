#include "files/linux/other_process.h"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

namespace longshore::files {
namespace {

struct Seen {
  std::string name;
  char state = 0;
};

// "12 (longshored) S 1 ..."; the name may hold anything.
std::optional<Seen> look_at(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t begin = text.find('(');
  const size_t end = text.rfind(") ");
  if (process <= 0 || begin == std::string::npos || end == std::string::npos) return std::nullopt;
  return Seen{text.substr(begin + 1, end - begin - 1), text[end + 2]};
}

// It has ended but for a thread in the kernel (Z, X), or is in the kernel for long (D).
bool is_held(char state) { return state == 'Z' || state == 'X' || state == 'D'; }

}  // namespace

Error taken_by(int process, Error error, const std::string& does, const std::string& setting) {
  const std::optional<Seen> seen = look_at(process);
  const std::string change = "give this one another " + setting;
  if (!seen) {
    return std::move(error)
        .because("another process " + does)
        .advise("stop the other agent, or " + change);
  }
  const std::string who = "process " + std::to_string(process) + " (" + seen->name + ") " + does;
  if (!is_held(seen->state)) {
    return std::move(error).because(who).advise("stop the other agent, or " + change);
  }
  return std::move(error)
      .because(who +
               ", and the kernel keeps it from ending, as it does while a server or a device "
               "does not answer")
      .advise("have the server answer or close its connections, restart the node, or " + change);
}

bool was_killed(int process) {
  const std::optional<Seen> seen = look_at(process);
  if (!seen || seen->state == 'Z' || seen->state == 'X') return seen.has_value();
  // A mask of the signals that wait for the thread, and one of those for the process.
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigPnd:") && !line.starts_with("ShdPnd:")) continue;
    const uint64_t waiting = std::strtoull(line.c_str() + 7, nullptr, 16);
    if ((waiting >> (SIGKILL - 1) & 1) != 0) return true;
  }
  return false;
}

}  // namespace longshore::files
