// What goes wrong in a made-up CSI driver, as a file says at that moment, a line each; the first
// that fits a call counts:
//
//   <method> <n-th call of it, or *> <what>
//
//   error <code> <text>         it does nothing
//   done-error <code> <text>    it does it, and says that it failed
//   slow <milliseconds>         it does it then
//   hang                        it does nothing and says nothing, until the call is cancelled
//   crash | done-crash          the driver ends, before or after it has done it
//
// Threads: any. Owner: the driver.
#pragma once

#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

namespace longshore::test {

struct Fault {
  std::string kind;  // empty: none
  int number = 0;    // the code, or milliseconds
  std::string text;
};

class FaultScript {
 public:
  // The file need not be there.
  explicit FaultScript(std::string path) : path_(std::move(path)) {}

  // For this call, which counts.
  Fault next(const std::string& method) {
    const std::lock_guard lock(mutex_);
    const std::string count = std::to_string(++calls_[method]);
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string its_method;
      std::string its_call;
      Fault fault;
      words >> its_method >> its_call >> fault.kind;
      if (its_method != method || (its_call != "*" && its_call != count)) continue;
      std::getline(words >> fault.number >> std::ws, fault.text);
      return fault;
    }
    return {};
  }

 private:
  const std::string path_;
  std::mutex mutex_;
  std::map<std::string, int> calls_;  // since the start, by method
};

}  // namespace longshore::test
