// Remembers, over the agent's own end, which module's code it was starting: a file that takes the
// agent with it is not started for ever again.
//
//   begin ── a line, on the disk before any code of the file runs ──► end: the line goes
//               └── the agent is gone: the line is there when the next one starts, and counts
//
// Another module's thread may be what ended the agent meanwhile. So a file with a crash is started
// before all others the next time (`is_suspected`): one that is innocent clears itself then.
//
// How it crashed tells the record that the crash left (observe/crash_records.h), if there was a
// signal: the lines only say who is to blame, whatever the end was.
//
// The bytes count, not the name. After kMostCrashes in a row they are quarantined: a single one may
// as well have been a power cut. A new file is not concerned, and `release` gives another try.
//
//   <state_dir>/.crash-markers    a line a file: how many crashes there were if the agent were gone
//                                 now, SHA-256, module, path
//
// Threads: any. Owner: the module starter of longshored. A library keeps none: the program that it
// is part of may end for its own reasons.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "files/marker_file.h"
#include "loader/module_code.h"
#include "longshore/result.hpp"
#include "observe/log.h"

namespace longshore::core {

class CrashMarkers {
 public:
  static constexpr int kMostCrashes = 2;

  // An error tells why none can be kept.
  static Result<std::unique_ptr<CrashMarkers>> open(const std::string& state_dir,
                                                    observe::Log& log);

  // Before the file's code runs. The error says that it is quarantined, why, and what to do.
  Result<void> begin(const std::string& module, const loader::ModuleFacts& facts);
  // It came back, whether it works or not.
  void end(const std::string& sha256);
  // It was loaded, and its instance is made later. Crashes of the past still count.
  void pause(const std::string& sha256);

  // Whether an agent has ended while it started this file, which has not come back since.
  bool is_suspected(const std::string& sha256);
  // Lets a quarantined file be tried once more.
  void release(const std::string& sha256);

  // The agent ends in order, maybe while a module is being started: that is no crash. Nothing is
  // marked any more, whatever other threads still begin.
  void close();

 private:
  struct Record {
    int crashes = 0;  // before the start that runs, if one does
    std::string sha256;
    std::string module;
    std::string path;
    bool is_starting = false;
    int count() const { return crashes + (is_starting ? 1 : 0); }
  };

  CrashMarkers(std::unique_ptr<files::MarkerFile> file, observe::Log& log);
  void read();
  Record* find(const std::string& sha256);  // locked
  void write(bool sync);                    // locked

  const std::unique_ptr<files::MarkerFile> file_;
  observe::Log& log_;
  std::mutex mutex_;
  std::vector<Record> records_;
  bool is_closed_ = false;
};

}  // namespace longshore::core
