// The file of the audit log: sealed lines (observe/audit_chain.h), and the files before it.
//
//   audit.jsonl ──full──► audit.jsonl.1 ──► audit.jsonl.2 ──► ... ──► removed
//
// The first line of a file tells the chain and the last hash of the file before:
//   {"time":...,"event":"opened","chain":"...","previous":"...","number":8,"hash":"..."}
// A last line that a killed agent left torn is taken out, and told in a line of its own:
//   {"time":...,"event":"mended","torn":"{\"time\":...","number":9,"hash":"..."}
// A file that ends without a sealed line is moved away, and a new chain begins.
//
// Threads: one at a time. Owner: the audit log.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "longshore/result.hpp"
#include "observe/append_file.h"
#include "observe/audit_chain.h"

namespace longshore::router {

struct AuditOptions {
  std::string file = {};  // empty: no audit log
  std::string mark = {};  // see MissingLines; empty: nothing is remembered
  bool required = false;
  bool fsync = false;
  int64_t max_size = 64 << 20;  // of a file, in bytes; 0: any
  int64_t max_files = 8;
  // How often the agent's own log is told how far the chain has come, while it grows.
  std::chrono::milliseconds between_anchors = std::chrono::minutes(1);
};

class AuditFile {
 public:
  // Opens the file that has the name now, which may be another one than is open, or none; then the
  // chain goes on in it. An error leaves open what was.
  Result<void> open(const AuditOptions& options);
  // Whether lines can be appended, as far as is known.
  bool is_ready() const { return is_ready_; }

  // When it is ready. Seals and appends an object without a line end. An error leaves the chain as
  // it was. True: the file was rotated before.
  Result<bool> append(const std::string& object);
  Result<void> sync() { return file_.sync(); }

  // The last line.
  const observe::AuditLink& link() const { return link_; }

 private:
  Result<void> begin();  // an open file
  Result<void> go_on();  // behind what the file has
  Result<void> write_opened();
  Result<void> write(const std::string& object);
  bool is_full(size_t more) const;

  AuditOptions options_;
  observe::AppendFile file_;
  bool is_ready_ = false;  // it has its first line, and the chain leads to its last
  std::string torn_;       // was cut off, and no line tells of it yet
  observe::AuditLink link_;
};

}  // namespace longshore::router
