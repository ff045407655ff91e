#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "observe/other_process.h"

namespace longshore::observe {
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

// /proc/locks: "1: FLOCK  ADVISORY  WRITE 12 fe:01:1234 0 EOF"; who waits has "->" behind the "1:".
int lock_holder_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return 0;
  std::ostringstream device;
  device << std::hex;
  for (const unsigned number : {major(status.st_dev), minor(status.st_dev)}) {
    device << (number < 0x10 ? "0" : "") << number << ':';
  }
  const std::string wanted = device.str() + std::to_string(status.st_ino);
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, strength, mode, file;
    int process = 0;
    if (words >> number >> kind >> strength >> mode >> process >> file && kind == "FLOCK" &&
        file == wanted) {
      return process;
    }
  }
  return 0;
}

}  // namespace longshore::observe
