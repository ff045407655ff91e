// One walk of RootedOpener's along a path, name by name. See rooted_opener.h for its rules.
//
// Every directory between the root and here is kept open: one that a name `..` in a link leads back
// to is the one that was come from.
//
// Owner: one call. Threads: one.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "longshore/deadline.hpp"
#include "support/allowed_roots.h"
#include "support/windows/file_system_calls.h"
#include "support/windows/reparse_point.h"

namespace longshore::support {

class RootedWalk {
 public:
  using Names = std::vector<std::wstring>;

  // csi-proxy's limit. Windows itself ends after 63.
  static constexpr size_t kMaxLinks = 256;

  // Names that one walk follows. Links to links through the depth of a tree are worth millions.
  static constexpr size_t kMostSteps = 32768;

  RootedWalk(FileSystemCalls& calls, const AllowedRoots& roots, const WindowsPath& path,
             FileAccess access, const Deadline& deadline);

  // Goes to the end. With kFollowed, here() is what the path leads to; otherwise the directory that
  // holds the last name, which last() is. operation_canceled: the deadline was reached.
  std::error_code run(FileSystemCalls::LastName last_name);

  std::unique_ptr<OpenFile> take_here() { return std::move(places_.back().opened); }
  const std::wstring& last() const { return last_; }

  // After an error: whether the path's own root could not be opened.
  bool failed_at_root() const { return places_.empty() && links_.empty(); }

  // After cross_device_link: where an absolute link leads, with what was still to go from there.
  // "": what leads out is none.
  const std::string& outside() const { return outside_; }

  // The volume whose mount point was gone through last, "\\?\Volume{...}\": here() lies on it, and
  // is its root if is_volume_root(). "": here() lies on the volume of the root. After an error of
  // entering a volume: that one.
  std::wstring volume() const;
  bool is_volume_root() const { return !places_.empty() && places_.back().is_volume_root; }
  // The drive of the root that the walk is below: "C:\\".
  std::string drive() const { return root_->text().substr(0, 3); }
  // After an error: whether it is the volume at the path's end that could not be entered.
  bool failed_at_last_volume() const { return !entering_.empty() && pending_.empty(); }

  // After an error that something is missing: the names that are missing below here(), if no link's
  // text has one of them.
  Names missing() const;

  // After an error that something is missing: the link whose text names it, in words; nothing if
  // the path does.
  std::optional<std::string> dangling_link() const;

 private:
  // Which link's text a name stands in; kOfPath: in none.
  static constexpr size_t kOfPath = static_cast<size_t>(-1);
  struct Pending {
    std::wstring name;
    size_t link = kOfPath;
  };
  struct Link {
    std::string path;
    std::string text;
  };
  struct Place {
    std::unique_ptr<OpenFile> opened;
    std::wstring name;            // "" for a root
    bool is_volume_root = false;  // of a volume that is mounted here
    std::wstring volume;          // that volume
  };

  std::error_code start_at(const WindowsPath& root);
  std::error_code may_go_on();
  std::error_code step();
  std::error_code go_up();
  std::error_code pass(const ReparsePoint& point, std::unique_ptr<OpenFile> opened,
                       bool is_directory);
  std::error_code go_down(std::unique_ptr<OpenFile> opened, bool is_directory);
  std::error_code follow(const ReparsePoint& point);
  std::error_code follow_absolute(const std::wstring& target);
  std::error_code enter_volume(const std::wstring& volume);
  bool is_mounted_within(const std::wstring& volume, std::error_code& error) const;
  bool add_link(const std::wstring& text);
  void prepend(const Names& names, size_t link);
  std::string path_of_last() const;

  FileSystemCalls& calls_;
  const AllowedRoots& roots_;
  const FileAccess access_;
  const Deadline& deadline_;
  size_t steps_ = 0;
  const WindowsPath* root_ = nullptr;
  std::vector<Place> places_;    // from the root to here, free of links
  std::deque<Pending> pending_;  // still to go
  std::vector<Link> links_;      // those that were followed
  std::wstring last_;
  size_t link_ = kOfPath;  // of what was done last
  std::string outside_;
  std::wstring entering_;  // a volume, until it is entered
};

}  // namespace longshore::support
