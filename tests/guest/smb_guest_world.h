// The suite's world of the smb group in a guest: its kernel's cifs, and the server that listens on
// its loopback. See smb_guest_test.cc for what the guest has to have.
#pragma once

#include <string>
#include <vector>

#include "smb/linux/cifs_mounts.h"
#include "smb/linux/smb_backend_linux.h"
#include "tests/guest/file_server.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/smb/smb_world.h"

namespace longshore::smb {

// How its Linux backend is set up.
struct GuestBackend {
  bool require_privacy = true;
  ShareMounter::Times times = {};
  std::vector<std::string> mount_options{"file_mode=0777", "dir_mode=0777"};
};

class GuestWorld final : public SmbWorld {
 public:
  // The server runs with its first password and an empty share. Throws if the guest lacks it.
  explicit GuestWorld(const GuestBackend& setup = {});
  // Leaves no mount behind, whatever the case did.
  ~GuestWorld() override;

  SmbBackend& backend() override { return backend_; }
  test::FileServer& server() { return server_; }
  std::string mappings() const { return directory_ / "mappings"; }

  std::string share() const override { return test::FileServer::kShare; }
  std::string user() const override { return test::FileServer::kUser; }
  std::string password() const override { return password_; }
  void set_password(const std::string& password) override;
  void make_remote_directory(const std::string& below) override;
  void stop_server() override { server_.stop(); }
  void start_server() override { server_.start(); }

  std::string root() const override { return directory_ / "allowed"; }
  bool is_mapped() const override;
  bool leads_to(const std::string& local, const std::string& below) const override;
  std::string text_of_link(const std::string& local) const override;
  bool is_absent(const std::string& local) const override;
  void occupy(const std::string& local) override;
  void remove_link(const std::string& local) override;
  std::string local_without_directory() override { return local("missing/volume"); }

 private:
  test::TemporaryDirectory directory_;
  test::FileServer server_;
  std::string password_ = test::FileServer::kFirstPassword;
  mutable int asked_ = 0;  // files that nobody has asked for before, so that no cache knows of them
  CifsMounts mounts_;
  SmbBackendLinux backend_;
};

}  // namespace longshore::smb
