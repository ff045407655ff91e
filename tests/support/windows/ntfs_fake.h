// A filesystem in memory behind FileSystemCalls: drives, links, junctions, volumes that are mounted
// and volumes that only seem to be. For what Wine cannot show: it makes no link and no junction.
//
// An opened file is the file, whatever is renamed or removed meanwhile, as with handles. A test may
// do that, or let a call fail, in the middle of an operation: see `before`.
//
// Threads: any number at once; one lock.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "support/windows/file_system_calls.h"
#include "support/windows/reparse_point.h"

namespace longshore::test {

class NtfsFake final : public support::FileSystemCalls {
 public:
  // There is an empty drive C:.
  NtfsFake();
  ~NtfsFake() override;

  // What a test puts at a path ("C:\a", UTF-8), in place of whatever has the name. Directories
  // above are made; no link is followed.
  void put_directory(const std::string& path);
  void put_file(const std::string& path);
  // To "C:\a", "\\server\share\a", or relative. Of the kind that leads to a directory unless it is
  // to lead to what is a file now.
  void put_symbolic_link(const std::string& text, const std::string& path);
  void put_junction(const std::string& target, const std::string& path);
  void put_reparse_point(const std::vector<std::byte>& data, const std::string& path);
  // Mounts a volume, a new one where the number is new: the mount manager knows of it.
  void mount(int volume, const std::string& path) { mount(volume_name(volume), path); }
  void mount(const std::string& volume_name, const std::string& path);
  // Makes what looks like its mount point, as anybody may.
  void put_mount_point(const std::string& volume_name, const std::string& path);
  // The disk is gone: the volume has its mount points yet, and cannot be opened.
  void lose_volume(int volume) { lose_volume(volume_name(volume)); }
  void lose_volume(const std::string& volume_name) { volumes_.erase(volume_name); }
  // A share, or a path on one, that its server has.
  void put_share(const std::string& path) { shares_.push_back(path); }

  // Moves what has a name to another one, where there is nothing.
  void move(const std::string& from, const std::string& to);
  // With all that it holds.
  void remove(const std::string& path);

  // "\\?\Volume{...}\", and the path of what is on it for the functions above and below.
  static std::string volume_name(int volume);

  // What a test finds: no link followed, no volume entered. Nothing: it is absent.
  struct Found {
    bool is_directory = false;
    std::optional<support::ReparsePoint> point;
  };
  std::optional<Found> inspect(const std::string& path) const;

  // How often this volume was flushed while it was mounted where it was to be taken away.
  int flushes(const std::string& volume_name) const;

  // Asked before each call, by its function's name and the path that is its object's now; an error
  // is the call's answer. It may call the functions above.
  std::function<std::error_code(const std::string& call, const std::string& path)> before;
  // Every handle that is open now.
  int opened() const;

  Opened open_path(const std::wstring& path, LastName last, support::FileAccess access,
                   std::error_code& error) override;
  std::vector<std::wstring> paths_of_volume(const std::wstring& volume,
                                            std::error_code& error) override;
  bool exists(const std::wstring& path, std::error_code& error) override;

 private:
  struct Node;
  class File;
  using NodePointer = std::shared_ptr<Node>;

  std::error_code ask(const std::string& call, const std::string& path) const;
  NodePointer top_of(std::string_view path, std::string_view& rest) const;
  NodePointer find(std::string_view path) const;
  NodePointer put(const std::string& path, bool is_directory);
  static std::string path_of(const Node& node);
  // By way of a directory that a volume is mounted on, where it is on one.
  std::string mounted_path_of(const Node& node) const;
  void add_volume(const std::string& name);
  void take_out(Node& node);
  void take_out_all(Node& node);

  mutable std::recursive_mutex mutex_;
  std::map<std::string, NodePointer> volumes_;  // by name, and "C:\"
  std::map<std::string, std::vector<std::string>> paths_of_volumes_;
  std::map<std::string, int> flushes_;  // by the volumes' names
  std::vector<std::string> shares_;
  std::vector<NodePointer> removed_;  // what is in them knows them yet
  int opened_ = 0;
};

}  // namespace longshore::test
