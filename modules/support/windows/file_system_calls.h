// What is asked of Windows about files and directories: one call a function, so that tests can
// answer in its place.
//
// A reparse point is always opened itself, never followed, but for open_path() where that is asked
// for. A name is one name in an opened directory, taken literally: whoever renames what lies above
// cannot turn a call to another place, and what was found out about an opened file holds for what
// is done to it next.
//
// Errors come as codes (see file_error.h); `error` is cleared on success.
//
// Threads: any number at once; an opened file belongs to one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace longshore::support {

// What an opened file is opened for. Whoever opens it with more than he needs may be refused.
enum class FileAccess {
  kLook,    // to tell what it is, and as the directory that names are looked up in
  kList,    // and to list it
  kRemove,  // and to list and to remove it
};

enum class NewLinkType { kToFile, kToDirectory };

class OpenFile {
 public:
  using Opened = std::unique_ptr<OpenFile>;  // none: there was an error

  virtual ~OpenFile() = default;

  // What has this name in this directory.
  virtual Opened open(const std::wstring& name, FileAccess access, std::error_code& error) = 0;

  // Makes a directory with this name and opens it to look. ERROR_ALREADY_EXISTS: the name is taken.
  virtual Opened make_directory(const std::wstring& name, std::error_code& error) = 0;

  // Makes a link with this name of reparse data; on an error there is nothing left of it.
  virtual std::error_code make_link(const std::wstring& name, NewLinkType type,
                                    std::span<const std::byte> reparse_data) = 0;

  // A link to a directory, a junction and a mount point are directories too.
  struct Facts {
    bool is_directory = false;
    bool is_reparse_point = false;
  };
  virtual Facts facts(std::error_code& error) = 0;

  // Of a reparse point: its data, see reparse_point.h.
  virtual std::vector<std::byte> read_reparse_data(std::error_code& error) = 0;

  // The first names in this directory, many at a time, as they are now; none: it is empty.
  virtual std::vector<std::wstring> list(std::error_code& error) = 0;

  // Removes this very file, link, or empty directory, whatever its name is meanwhile.
  virtual std::error_code remove() = 0;

  // Mounts the volume on this directory, which is empty. ERROR_DIR_NOT_EMPTY: it is not.
  virtual std::error_code attach_volume(const std::wstring& volume) = 0;

  // Has what is unwritten of the volume, which is mounted here, written to its disk, as far as that
  // goes: the disk may be gone. `volume`: as for detach_volume().
  virtual std::error_code flush_volume(const std::wstring& volume) = 0;

  // Takes the volume away from this mount point, which is an empty directory from then on. What is
  // on the volume stays. `volume`: its name, as the reparse point tells it.
  virtual std::error_code detach_volume(const std::wstring& volume) = 0;
};

class FileSystemCalls {
 public:
  using Opened = OpenFile::Opened;
  enum class LastName { kFollowed, kUnfollowed };

  virtual ~FileSystemCalls() = default;

  // Opens a path with the prefix \\?\, or the name of a volume with its last backslash. Links above
  // the last name are followed, wherever they lead: only for paths that an administrator named.
  virtual Opened open_path(const std::wstring& path, LastName last, FileAccess access,
                           std::error_code& error) = 0;

  // The paths that a volume is mounted at, by drive letter or on a directory, as the mount manager
  // knows them.
  virtual std::vector<std::wstring> paths_of_volume(const std::wstring& volume,
                                                    std::error_code& error) = 0;

  // Whether something is there, by a path that need not lie on this node: it may take as long as
  // its server does.
  virtual bool exists(const std::wstring& path, std::error_code& error) = 0;
};

}  // namespace longshore::support
