// Remembers, over the agent's own end, which module's code it ran for the first time: one that
// takes the agent with it while it is loaded, created or started is not loaded for ever again.
//
//   begin ── written before any code of the file runs ──► end: erased ──► settle: on disk too
//       │                └── the agent is gone: it counts as a crash when the next one starts
//       └── leave: its code does not come back; the mark stays until the agent ends in order
//
// What is written survives the end of the process at once, and that of the machine when it is
// synced, which takes long. So of several files that are started one after the other, only the
// first is synced, and all of them once there was a crash: a module that takes the machine with it
// may be mistaken for the first one, but not a second time.
//
// Another module's thread may be what ended the agent meanwhile. So a file with a crash is started
// before all others the next time (`is_suspected`): one that is innocent clears itself then.
//
// How and where it crashed tells the record that the crash left (observe/crash_records.h), if there
// was a signal: the marks only say who is to blame, whatever the end was.
//
// The bytes count, not the name. After kMostCrashes in a row they are quarantined: a single one may
// as well have been a power cut. A new file is not concerned, and `release` gives another try.
//
//   <state_dir>/.crash-markers    a line a file: state, crashes, SHA-256, module, step, path
//
// Threads: any. Owner: the module starter of longshored. A library keeps none: the program that it
// is part of may end for its own reasons.
#pragma once

#include <memory>
#include <mutex>
#include <set>
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
  // Nothing happens where this agent has had it started before.
  Result<void> begin(const std::string& module, const loader::ModuleFacts& facts);
  // What is being done: "load" at first, then "create", "start".
  void reach(const std::string& step);
  // It came back, up to the end of its start, whether it works or not. There is no need to mark it
  // in this life again.
  void end();
  // It came back from being loaded, and is brought up later.
  void pause();
  // A thread is still inside, and may yet take the agent with it.
  void leave();
  // Whether an agent has ended while it was at this file, and nothing has cleared it since.
  bool is_suspected(const std::string& sha256);
  // Has all that was erased on the disk too.
  void settle();

  // The agent ends in order, maybe while a module is at it: that is no crash. Nothing is marked any
  // more, whatever other threads still begin.
  void close();

  // Lets the file be tried once more.
  void release(const std::string& sha256);

  // For tests of the file's format.
  struct Record {
    bool starting = false;
    int crashes = 0;
    std::string sha256;
    std::string module;
    std::string step;
    std::string path;
    bool operator==(const Record&) const = default;
  };
  static std::vector<Record> parse(const std::string& text);  // what is no record is left out
  static std::string format(const std::vector<Record>& records);

 private:
  CrashMarkers(std::unique_ptr<files::MarkerFile> file, observe::Log& log);
  Record* find(const std::string& sha256);  // locked
  void erase_running();                     // locked
  void write(bool sync);                    // locked

  const std::unique_ptr<files::MarkerFile> file_;
  observe::Log& log_;
  std::mutex mutex_;
  std::vector<Record> records_;
  std::string running_;              // the SHA-256; empty: none
  std::set<std::string> came_back_;  // in this agent's life
  std::set<std::string> left_;       // those that a thread is inside of
  const bool is_careful_;            // all marks are synced
  bool is_marked_ = false;           // the disk says that something is being started
  bool is_settled_ = true;
  bool is_closed_ = false;
};

}  // namespace longshore::core
