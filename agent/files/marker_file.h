// A small file that a process keeps and rewrites: the one that has the state directory.
//
// Threads: one at a time. Owner: who keeps it.
#pragma once

#include <memory>
#include <string>

#include "longshore/result.hpp"

namespace longshore::files {

class MarkerFile {
 public:
  // Makes it and its folder if they are not there.
  static Result<std::unique_ptr<MarkerFile>> open(const std::string& path);
  virtual ~MarkerFile() = default;

  virtual std::string read() = 0;
  // Replaces what it says; with `sync` it is on the disk when this returns.
  virtual Result<void> write(const std::string& text, bool sync) = 0;
};

}  // namespace longshore::files
