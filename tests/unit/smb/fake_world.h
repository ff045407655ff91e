// The suite's world without a kernel: SmbBackendFake.
#pragma once

#include "tests/unit/smb/smb_backend_fake.h"
#include "tests/unit/smb/smb_world.h"

namespace longshore::smb {

class FakeWorld final : public SmbWorld {
 public:
  FakeWorld() { put(); }

  SmbBackend& backend() override { return backend_; }

  std::string share() const override { return "//files/share"; }
  std::string user() const override { return "smbu"; }
  std::string password() const override { return server_.password; }
  void set_password(const std::string& password) override {
    server_.password = password;
    put();
  }
  void make_remote_directory(const std::string& below) override {
    server_.directories.insert(below);
    put();
  }
  void stop_server() override { set_answers(false); }
  void start_server() override { set_answers(true); }

  std::string root() const override { return test::node_path("/allowed"); }
  bool is_mapped() const override { return backend_.is_mapped(share()); }
  bool leads_to(const std::string& local, const std::string& below) const override {
    return is_mapped() && backend_.link_at(local) == share() + (below.empty() ? "" : "/" + below);
  }
  std::string text_of_link(const std::string& local) const override {
    return backend_.link_at(local).value();
  }
  bool is_absent(const std::string& local) const override {
    return !backend_.link_at(local).has_value();
  }
  void occupy(const std::string& local) override { backend_.occupy(local); }
  void remove_link(const std::string& local) override { backend_.remove_link(local); }
  std::string local_without_directory() override {
    backend_.remove_directory_of(local(test::node_path("missing/volume")));
    return local(test::node_path("missing/volume"));
  }

 private:
  void put() { backend_.put(share(), server_); }
  void set_answers(bool answers) {
    server_.answers = answers;
    put();
  }

  SmbBackendFake::Share server_{"smbu", "P@ss,w0rd"};
  SmbBackendFake backend_;
};

}  // namespace longshore::smb
