// Runs open-iscsi's iscsiadm: an argument array, no shell, no environment, and never for longer
// than the limit that each run has. No secret is among its arguments: those travel in the record
// that it reads (node_records.h).
//
// Threads: immutable; any number at once. iscsiadm locks its own database.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "iscsi/linux/exit_codes.h"
#include "longshore/result.hpp"

namespace longshore::iscsi {

// For a run that only works on the database: iscsiadm waits 30 s for its lock.
inline constexpr std::chrono::seconds kDatabaseLimit{40};

class Iscsiadm {
 public:
  // An absolute path, or "" for where distributions put it, looked up anew for each run.
  explicit Iscsiadm(std::string program) : program_(std::move(program)) {}

  struct Run {
    std::vector<std::string> arguments;
    std::string operation;  // completes "cannot ..."
    std::string object;
    // After it iscsiadm is killed, and whoever it waited for (the daemon, a portal) goes on alone.
    std::chrono::milliseconds limit;
    std::vector<ExitCode> successes = {ExitCode::kSuccess};
    // Else it goes to /dev/null, and nobody is woken for each of its lines.
    bool keeps_output = false;
  };
  struct End {
    ExitCode exit_code;
    std::string output;  // of standard output, at most 1 MiB, if it was to be kept
  };

  // An exit code that is none of `successes` is its error. FAILED_PRECONDITION: there is no
  // iscsiadm. UNAVAILABLE: the limit came first.
  Result<End> run(const Run& run) const;

 private:
  std::string program() const;

  std::string program_;
};

}  // namespace longshore::iscsi
