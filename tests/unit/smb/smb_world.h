// Where the suite of the smb group runs: a file server with one share, and a node that maps it.
// There are four: the fake, the Linux backend on a made-up kernel, the Windows backend on a made-up
// SMB client, and, in a guest, the Linux backend on a real server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "smb/smb_backend.h"
#include "smb/smb_service.h"
#include "tests/support/node_path.h"

namespace longshore::smb {

class SmbWorld {
 public:
  virtual ~SmbWorld() = default;

  virtual SmbBackend& backend() = 0;

  // The server's side. "//host/share" and who may use it.
  virtual std::string share() const = 0;
  virtual std::string user() const = 0;
  virtual std::string password() const = 0;
  virtual void set_password(const std::string& password) = 0;
  // "a" or "a/b".
  virtual void make_remote_directory(const std::string& below) = 0;
  virtual void stop_server() = 0;
  virtual void start_server() = 0;

  // Whether credentials are tried at the server where the share is mapped already.
  virtual bool tries_credentials() const { return true; }

  // The node's side. An allowed root, and paths below it: "<root>/<name>".
  virtual std::string root() const = 0;
  std::string local(const std::string& name) const {
    return test::node_path(test::posix_path(root()) + "/" + name);
  }
  virtual bool is_mapped() const = 0;
  // Whether a link at the path leads to what lies below the share, and reaches it.
  virtual bool leads_to(const std::string& local, const std::string& below) const = 0;
  // What a driver reads there.
  virtual std::string text_of_link(const std::string& local) const = 0;
  virtual bool is_absent(const std::string& local) const = 0;
  // Puts something at the path that is no link.
  virtual void occupy(const std::string& local) = 0;
  virtual void remove_link(const std::string& local) = 0;
  // A path whose directory does not exist.
  virtual std::string local_without_directory() = 0;
};

using MakeWorld = std::function<std::unique_ptr<SmbWorld>()>;

// The worlds of this program: each program that links the suite has its own.
std::vector<MakeWorld> smb_worlds();

}  // namespace longshore::smb
