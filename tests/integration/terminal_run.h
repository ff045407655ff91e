// A program run by a test in a terminal of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace longshore::test {

class TerminalRun {
 public:
  // Throws when it cannot be started.
  explicit TerminalRun(std::vector<std::string> command);
  // Kills it unless it has ended.
  ~TerminalRun();
  TerminalRun(const TerminalRun&) = delete;
  TerminalRun& operator=(const TerminalRun&) = delete;

  // Reads what the program writes until `text` is in it behind `from`, or for half a minute.
  bool await(const std::string& text, size_t from = 0);
  // What it has written so far.
  const std::string& output() const { return output_; }
  // Keys, as if typed; "\x03" is Ctrl-C.
  void type(const std::string& keys);
  void signal(int number) const;
  // Its exit status, 128 plus the number when a signal ended it; reads what it writes at the end.
  int wait();
  // Whether keys are echoed and come by the line, as a shell has left the terminal.
  bool is_as_before() const;

 private:
  bool read_more();

  int terminal_ = -1;
  int held_open_ = -1;  // the program's side, so that the terminal stays when it has ended
  pid_t id_ = -1;
  std::string output_;
};

}  // namespace longshore::test
