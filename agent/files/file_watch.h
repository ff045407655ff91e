// Tells when there may be another file at one of some paths: it was made, written, replaced or
// taken away, or others may read it now.
//
// While nothing is watched there is nothing that could wake up. While something is, only what
// happens in the folders of the paths does; for a folder that is not there it is the one above it.
//
// Threads: the I/O thread. Owner: what wants to know.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "longshore/result.hpp"

namespace longshore::files {

class FileWatch {
 public:
  using Paths = std::set<std::string>;

  // `on_change` is called on the I/O thread, maybe several times for one change.
  static std::unique_ptr<FileWatch> make(boost::asio::io_context& io,
                                         std::function<void()> on_change);
  virtual ~FileWatch() = default;

  // From now on these absolute paths instead of those before. An error: none is watched.
  virtual Result<void> watch(Paths paths) = 0;
};

}  // namespace longshore::files
