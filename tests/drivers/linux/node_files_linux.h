// The filesystem of this very node: see ../node_files.h.
//
// Threads: one.
#pragma once

#include "tests/drivers/node_files.h"

namespace longshore::test {

class LinuxFiles final : public NodeFiles {
 public:
  bool exists(const std::string& path) override;
  std::optional<std::string> link_text(const std::string& path) override;
  bool is_mount_point(const std::string& path) override;
  bool is_directory(const std::string& path) override;
  bool can_be_listed(const std::string& path) override;
  bool is_empty(const std::string& directory) override;
  std::string read(const std::string& path) override;
  int64_t filesystem_bytes(const std::string& path) override;
  void make_directories(const std::string& path) override;
  void write(const std::string& path, const std::string& text) override;
  bool remove(const std::string& path) override;
};

}  // namespace longshore::test
