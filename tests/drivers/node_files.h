// The filesystem that a driver, the kubelet and pods share with the node: what drivers look at by
// themselves, and what kubelet and pods do there.
//
// Paths are the node's own. Each function throws std::runtime_error where the node says anything
// but what is told here.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace longshore::test {

class NodeFiles {
 public:
  virtual ~NodeFiles() = default;

  // What has exactly this name; a link at the end is not followed.
  virtual bool exists(const std::string& path) = 0;
  virtual std::optional<std::string> link_text(const std::string& path) = 0;  // none: no link
  virtual bool is_mount_point(const std::string& path) = 0;

  // With all links followed, into volumes and shares.
  virtual bool is_directory(const std::string& path) = 0;
  virtual bool can_be_listed(const std::string& path) = 0;
  virtual bool is_empty(const std::string& directory) = 0;
  // Empty where there is no such file.
  virtual std::string read(const std::string& path) = 0;
  // Of the filesystem that this lies on.
  virtual int64_t filesystem_bytes(const std::string& path) = 0;

  // The directory and what is missing above it; one that exists is left as it is.
  virtual void make_directories(const std::string& path) = 0;
  virtual void write(const std::string& path, const std::string& text) = 0;
  // One file, link or empty directory, and never a mount point. False: there is nothing.
  virtual bool remove(const std::string& path) = 0;
};

// The directory that it lies in.
inline std::string parent_of(const std::string& path) {
  return path.substr(0, path.find_last_of("/\\"));
}

}  // namespace longshore::test
