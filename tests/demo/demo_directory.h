// The folder in which the demonstration happens: made by it, and gone after it.
#pragma once

#include <memory>
#include <string>

#include "longshore/result.hpp"

namespace longshore::demo {

inline constexpr const char* kDirectory = "/tmp/longshore-demo";

// Owner: the demonstration; its end removes the folder with all it holds.
class DemoDirectory {
 public:
  // Takes the place of what a killed demonstration left there: programs, mounts and loop devices
  // too. Anything else that has the
  // name, and the folder of a demonstration that is still running, are errors and stay untouched.
  static Result<std::unique_ptr<DemoDirectory>> make();
  DemoDirectory(const DemoDirectory&) = delete;
  DemoDirectory& operator=(const DemoDirectory&) = delete;
  ~DemoDirectory();

 private:
  explicit DemoDirectory(int marker) : marker_(marker) {}
  const int marker_;  // locked as long as the demonstration runs
};

}  // namespace longshore::demo
