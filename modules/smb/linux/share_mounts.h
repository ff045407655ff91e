// Mounts of shares: all that the smb group asks of the kernel.
//
// A share is first mounted nowhere, can be compared with what is mounted already, and is then
// attached to a directory. Asked for with the same credentials, options and address again, the
// kernel gives out the filesystem that it has (the same device); with others it asks the server and
// makes another one. So nobody has to remember a secret to see that it changed.
//
// Two exceptions. What was mounted over a fresh connection is not given out again: the next mount
// with the same credentials is another filesystem. And the kernel compares user name and password,
// not the domain: after `A\bob`, `B\bob` with the same password gets what `A\bob` has.
//
// Threads: any number at once.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "longshore/result.hpp"
#include "smb/credentials.h"
#include "smb/remote_path.h"

namespace longshore::smb {

// A mount that is attached nowhere; it ends with the object, which may wait for the server.
class DetachedShare {
 public:
  virtual ~DetachedShare() = default;
  virtual dev_t device() const = 0;
};

struct MountedShare {
  std::string point;  // where
  dev_t device = 0;
  std::string address = {};  // of the server, as addresses_of() has it; "": not known
};

class ShareMounts {
 public:
  enum class Connection {
    kShared,  // what the kernel has already is used
    kFresh,   // a connection of its own, whatever became of others
  };

  virtual ~ShareMounts() = default;

  // The addresses of a host, to be tried in this order. UNAVAILABLE or NOT_FOUND with the reason.
  virtual Result<std::vector<std::string>> addresses_of(const std::string& host) = 0;

  // Asks the server at the address, and waits for as long as it takes, which may be for ever; so
  // does ask(). Error::system() is the kernel's answer.
  virtual Result<std::unique_ptr<DetachedShare>> mount(const RemotePath& share,
                                                       const std::string& address,
                                                       const Credentials& credentials,
                                                       Connection connection) = 0;

  // Whether the server answers for a mount.
  virtual std::error_code ask(const DetachedShare& share) = 0;

  // Mounts it on an empty directory, for the whole node to see.
  virtual std::error_code attach(const DetachedShare& share, const std::string& directory) = 0;

  // Takes the mount away from the directory; one that is gone is success. Who uses it keeps it
  // until they let it go. If nobody does, the kernel takes leave of the server, for which this
  // waits as mount() does; the mount is gone from the directory before.
  virtual std::error_code detach(const MountedShare& share) = 0;

  // The shares that are mounted below the directory.
  virtual Result<std::vector<MountedShare>> mounted_below(const std::string& directory) = 0;

  // Whether the server still answers for what is mounted there. Waits as mount() does.
  virtual std::error_code probe(const MountedShare& share) = 0;

  // Whether the share that is mounted there has such a directory ("a/b"), to which no link leads.
  // Waits as mount() does.
  virtual std::error_code find(const MountedShare& share, const std::string& below) = 0;
};

}  // namespace longshore::smb
