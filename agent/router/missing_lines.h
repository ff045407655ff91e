// How many lines the file of the audit log lacks, kept where the next agent finds it: in the state
// folder, since the disk of the file itself may have no room.
//
//   00000000000000000069 /var/log/longshore/audit.jsonl
//
// It is written in place, which takes no room either. Nothing is synced: it outlives the agent, and
// not always the machine.
//
// Threads: one at a time. Owner: the audit writer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "files/marker_file.h"
#include "longshore/result.hpp"

namespace longshore::router {

class MissingLines {
 public:
  // `audit_file` is the one that lacks them. An error: nothing outlives this agent.
  Result<void> open(const std::string& path, const std::string& audit_file);

  // At first what the agent before has left; nothing, if that was of another file.
  uint64_t remembered() const { return remembered_; }
  void remember(uint64_t lines);

 private:
  std::string text_of(uint64_t lines) const;

  std::string audit_file_;
  std::unique_ptr<files::MarkerFile> mark_;  // null: there is none
  uint64_t remembered_ = 0;
};

}  // namespace longshore::router
