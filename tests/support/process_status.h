// What /proc tells of a process.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <sstream>
#include <string>

namespace longshore::test {

// The text of /proc/<process>/<name>; empty when there is no such process.
inline std::string proc_text(pid_t process, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A line of /proc/<process>/status without its name: "0\t0\t0\t0" for "Uid".
inline std::string proc_status(pid_t process, const std::string& name) {
  std::istringstream lines(proc_text(process, "status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return {};
}

// Whether it runs; one that has ended and is not waited for does not.
inline bool is_alive(pid_t process) {
  const std::string state = proc_status(process, "State");
  return !state.empty() && !state.starts_with("Z");
}

}  // namespace longshore::test
