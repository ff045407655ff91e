// The suite's world of the Linux backend on a made-up kernel, in a temporary directory.
#pragma once

#include <filesystem>
#include <string>

#include "smb/linux/smb_backend_linux.h"
#include "tests/support/temporary_directory.h"
#include "tests/unit/smb/share_mounts_fake.h"
#include "tests/unit/smb/smb_world.h"

namespace longshore::smb {

class LinuxWorld final : public SmbWorld {
 public:
  explicit LinuxWorld(const ShareMounter::Times& times = {}) : times_(times) {
    std::filesystem::create_directory(root());
    kernel_.server = {share(), user(), "P@ss,w0rd"};
  }

  SmbBackend& backend() override { return backend_; }
  ShareMountsFake& kernel() { return kernel_; }
  size_t hanging_calls() { return backend_.hanging_calls(); }
  std::string mappings() const { return directory_ / "mappings"; }

  std::string share() const override { return "//files/share"; }
  std::string user() const override { return "smbu"; }
  std::string password() const override { return kernel_.server.password; }
  void set_password(const std::string& password) override { kernel_.server.password = password; }
  void make_remote_directory(const std::string& below) override { kernel_.make_directory(below); }
  void stop_server() override { kernel_.server.answers = false; }
  void start_server() override { kernel_.server.answers = true; }

  std::string root() const override { return directory_ / "allowed"; }
  bool is_mapped() const override { return !kernel_.mounted().empty(); }
  bool leads_to(const std::string& local, const std::string& below) const override {
    if (!std::filesystem::is_symlink(local) || kernel_.mounted().empty()) return false;
    const std::string target = std::filesystem::read_symlink(local);
    const std::string current = mappings() + "/files/share/current";
    return target == (below.empty() ? current : current + "/" + below) &&
           std::filesystem::is_directory(target) &&
           kernel_.mounted().contains(std::filesystem::canonical(current));
  }
  std::string text_of_link(const std::string& local) const override {
    return std::filesystem::read_symlink(local);
  }
  bool is_absent(const std::string& local) const override {
    return !std::filesystem::exists(std::filesystem::symlink_status(local));
  }
  void occupy(const std::string& local) override { std::filesystem::create_directory(local); }
  void remove_link(const std::string& local) override { std::filesystem::remove(local); }
  std::string local_without_directory() override { return local("missing/volume"); }

 private:
  test::TemporaryDirectory directory_;
  ShareMounter::Times times_;
  ShareMountsFake kernel_;
  SmbBackendLinux backend_{{.roots = *support::AllowedRoots::from({root()}),
                            .mappings_directory = *support::PosixPath::parse(mappings(), "use"),
                            .times = times_},
                           kernel_};
};

}  // namespace longshore::smb
