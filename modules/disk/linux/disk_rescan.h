// Tells the kernel to look for disks and for their sizes.
//
// Each host, controller and disk is asked on a thread of its own: a port without a disk takes its
// driver a second, and a disk that hangs never answers. Who has not answered in time is left out,
// so that one such disk does not keep drivers from all others.
//
// Threads: any number at once. Owner: the backend; on destruction it waits for what still hangs.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "longshore/result.hpp"
#include "support/scatter_gather.h"

namespace longshore::disk {

class DiskRescan {
 public:
  explicit DiskRescan(std::string sysfs_root,
                      std::chrono::milliseconds patience = std::chrono::seconds(20));

  // The first error of those who answered, after all had their turn.
  Result<void> run();

 private:
  struct Request {
    std::string path;
    std::string text;
  };

  static std::optional<std::error_code> write(const Request& request);
  std::vector<Request> requests() const;

  const std::string sysfs_;
  support::ScatterGather<Request, std::error_code> writes_;
};

}  // namespace longshore::disk
