// The suite's world on Windows: the backend on a made-up SMB client and a filesystem in memory,
// since Wine has neither global mappings nor links.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "longshore/windows/wide_text.hpp"
#include "smb/windows/share_path.h"
#include "smb/windows/smb_backend_windows.h"
#include "tests/unit/smb/smb_world.h"
#include "tests/unit/smb/windows/global_mappings_stand_in.h"

namespace longshore::smb {

class WindowsWorld final : public SmbWorld {
 public:
  explicit WindowsWorld(SmbBackendWindows::Options options = default_options())
      : backend_(std::move(options), mappings_, files_) {
    files_->node().put_directory("C:\\allowed");
  }

  static SmbBackendWindows::Options default_options() {
    return {.roots = *support::AllowedRoots::from({"C:\\allowed"})};
  }

  SmbBackendWindows& backend() override { return backend_; }
  GlobalMappingsStandIn& mappings() { return *mappings_; }
  test::NtfsFake& node() { return files_->node(); }

  std::string share() const override { return "//files/share"; }
  std::string user() const override { return mappings_->server.user; }
  std::string password() const override { return mappings_->server.password; }
  void set_password(const std::string& password) override { mappings_->server.password = password; }
  void make_remote_directory(const std::string& below) override {
    std::string path = below;
    std::ranges::replace(path, '/', '\\');
    mappings_->server.directories.insert(path);
  }
  void stop_server() override { mappings_->server.answers = false; }
  void start_server() override { mappings_->server.answers = true; }
  bool tries_credentials() const override { return false; }

  std::string root() const override { return "C:\\allowed"; }
  bool is_mapped() const override { return mappings_->mappings.contains("\\\\files\\share"); }
  bool leads_to(const std::string& local, const std::string& below) const override {
    const auto found = files_->node().inspect(local);
    if (!found || !found->point || !found->is_directory) return false;
    std::string text = "\\\\files\\share\\" + below + (below.empty() ? "" : "\\");
    std::ranges::replace(text, '/', '\\');
    const auto remote = remote_path_of_link(text);
    return narrow(found->point->target) == text && remote &&
           mappings_->look_at(share_path(*remote)) == ERROR_SUCCESS;
  }
  std::string text_of_link(const std::string& local) const override {
    return narrow(files_->node().inspect(local).value().point.value().target);
  }
  bool is_absent(const std::string& local) const override {
    return !files_->node().inspect(local).has_value();
  }
  void occupy(const std::string& local) override { files_->node().put_directory(local); }
  void remove_link(const std::string& local) override { files_->node().remove(local); }
  std::string local_without_directory() override { return "C:\\allowed\\missing\\volume"; }

 private:
  std::shared_ptr<GlobalMappingsStandIn> mappings_ =
      std::make_shared<GlobalMappingsStandIn>("\\\\files\\share");
  std::shared_ptr<FilesStandIn> files_ = std::make_shared<FilesStandIn>(*mappings_);
  SmbBackendWindows backend_;
};

}  // namespace longshore::smb
