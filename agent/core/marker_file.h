// A small file that one process at a time keeps and rewrites.
//
// Threads: one at a time. Owner: the crash markers.
#pragma once

#include <memory>
#include <string>

#include "longshore/result.hpp"

namespace longshore::core {

class MarkerFile {
 public:
  // Makes it if it is not there, and locks it until this object or the process is gone. An error if
  // another process has it.
  static Result<std::unique_ptr<MarkerFile>> open(const std::string& path);
  virtual ~MarkerFile() = default;

  virtual std::string read() = 0;
  // Replaces what it says; with `sync` it is on the disk when this returns.
  virtual Result<void> write(const std::string& text, bool sync) = 0;
};

}  // namespace longshore::core
