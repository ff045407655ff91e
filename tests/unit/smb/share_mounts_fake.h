// A kernel and a file server in memory: what SmbBackendLinux asks of the kernel, with the failures
// and the crashes that a test wants. What the share holds appears as directories where it is
// mounted.
//
// Threads: one at a time, but for calls that hang.
#pragma once

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "smb/linux/directory_below.h"
#include "smb/linux/share_mounts.h"

namespace longshore::smb {

class ShareMountsFake final : public ShareMounts {
 public:
  struct Server {
    std::string mapping;  // "//files/share"
    std::string user;
    std::string password;
    std::set<std::string> directories = {};
    bool answers = true;
  };

  // How an address fails; 0: it does not. A host with no entry has one address that does not.
  using Address = std::pair<std::string, int>;

  Server server;
  std::vector<Address> addresses = {{"192.0.2.1", 0}};
  std::error_code probe_answer = {};
  std::error_code ask_answer = {};
  std::error_code shared_answer = {};  // of mount() over a connection that the kernel has already
  // What is valid holds its call until it is there. mount() then fails; detach() is held when the
  // mount is gone, unless it is to be held before.
  std::shared_future<void> held;
  std::string held_address;  // "": mount() is held at all
  std::shared_future<void> held_addresses;
  std::shared_future<void> held_probe;
  std::shared_future<void> held_find;
  std::shared_future<void> held_detach;
  bool is_gone_before = true;
  // Called before and after each call that changes something: "before attach". May throw.
  std::function<void(const std::string& moment)> moment = [](const std::string&) {};

  const std::map<std::string, dev_t>& mounted() const { return mounted_; }
  // What others mount, or take away.
  void put_mount(const std::string& point, const std::string& address = "") {
    mounted_[point] = ++last_device_;
    filesystems_[last_device_].address = address;
  }
  void take_mount(const std::string& point) { mounted_.erase(point); }
  int held_calls() const { return held_calls_; }
  int resolved() const { return resolved_; }
  const std::vector<std::string>& asked_addresses() const { return asked_addresses_; }

  void make_directory(const std::string& below) {
    server.directories.insert(below);
    for (const auto& [point, device] : mounted_) fill(point);
  }

  Result<std::vector<std::string>> addresses_of(const std::string&) override {
    ++resolved_;
    hang(held_addresses);
    std::vector<std::string> texts;
    for (const auto& [text, error] : addresses) texts.push_back(text);
    return texts;
  }

  Result<std::unique_ptr<DetachedShare>> mount(const RemotePath& share, const std::string& address,
                                               const Credentials& credentials,
                                               Connection connection) override {
    if ((held_address.empty() || held_address == address) && hang(held)) {
      return Error(StatusCode::kUnknown, "mount")
          .because(std::error_code(EHOSTDOWN, std::generic_category()));
    }
    moment("before mount");
    asked_addresses_.push_back(address);
    if (connection == Connection::kShared && shared_answer) {
      return Error(StatusCode::kUnknown, "mount").because(shared_answer);
    }
    const Filesystem wanted{share.mapping(), address, credentials.user(), credentials.password(),
                            connection == Connection::kFresh};
    const bool reused = !wanted.is_fresh && find(wanted) != 0;
    if (const int error = answer_of_server(share, address, credentials, reused)) {
      return Error(StatusCode::kUnknown, "mount")
          .because(std::error_code(error, std::generic_category()));
    }
    const dev_t device = reused ? find(wanted) : ++last_device_;
    filesystems_[device] = wanted;
    moment("after mount");
    return std::unique_ptr<DetachedShare>(std::make_unique<Detached>(device));
  }

  std::error_code ask(const DetachedShare&) override { return ask_answer; }

  std::error_code attach(const DetachedShare& share, const std::string& directory) override {
    moment("before attach");
    mounted_[directory] = share.device();
    fill(directory);
    moment("after attach");
    return {};
  }

  std::error_code detach(const MountedShare& share) override {
    moment("before detach");
    if (!is_gone_before && hang(held_detach)) return {};
    take_with_all_below(share.point);
    for (const auto& entry : std::filesystem::directory_iterator(share.point)) {
      std::filesystem::remove_all(entry.path());
    }
    moment("after detach");
    hang(held_detach);
    return {};
  }

  Result<std::vector<MountedShare>> mounted_below(const std::string& directory) override {
    const std::lock_guard lock(mutex_);  // detach() may hang meanwhile
    std::vector<MountedShare> found;
    for (const auto& [point, device] : mounted_) {
      if (!point.starts_with(directory + "/")) continue;
      const auto filesystem = filesystems_.find(device);
      found.push_back(
          {point, device, filesystem == filesystems_.end() ? "" : filesystem->second.address});
    }
    return found;
  }

  std::error_code probe(const MountedShare&) override {
    hang(held_probe);
    if (!server.answers) return std::make_error_code(std::errc::timed_out);
    return std::exchange(probe_answer, {});
  }

  std::error_code find(const MountedShare& share, const std::string& below) override {
    hang(held_find);
    return find_directory(share.point, below);
  }

 private:
  struct Filesystem {
    std::string mapping;
    std::string address;
    std::string user;
    std::string password;
    bool is_fresh;  // made over a connection that is given to nobody else
    bool operator==(const Filesystem&) const = default;
  };
  class Detached final : public DetachedShare {
   public:
    explicit Detached(dev_t device) : device_(device) {}
    dev_t device() const override { return device_; }

   private:
    dev_t device_;
  };

  void take_with_all_below(const std::string& point) {
    const std::lock_guard lock(mutex_);
    std::erase_if(mounted_, [&](const auto& mount) {
      return mount.first == point || mount.first.starts_with(point + "/");
    });
  }

  // Whether it was held. A copy: the test may set another meanwhile.
  bool hang(std::shared_future<void> end) {
    if (!end.valid()) return false;
    ++held_calls_;
    end.wait();
    return true;
  }

  // As cifs answers.
  int answer_of_server(const RemotePath& share, const std::string& address,
                       const Credentials& credentials, bool reused) const {
    for (const auto& [text, error] : addresses) {
      if (text == address && error != 0) return error;
    }
    if (!server.answers) return reused ? EHOSTDOWN : ECONNREFUSED;
    if (reused) return 0;
    if (credentials.user() != server.user || credentials.password() != server.password) {
      return EACCES;
    }
    return share.mapping() == server.mapping ? 0 : ENOENT;
  }

  // The device of a mounted filesystem with these credentials, or 0.
  dev_t find(const Filesystem& wanted) const {
    for (const auto& [point, device] : mounted_) {
      const auto filesystem = filesystems_.find(device);
      if (filesystem != filesystems_.end() && filesystem->second == wanted) return device;
    }
    return 0;
  }

  void fill(const std::string& point) const {
    for (const std::string& below : server.directories) {
      std::filesystem::create_directories(point + "/" + below);
    }
  }

  std::mutex mutex_;
  std::map<std::string, dev_t> mounted_;
  std::map<dev_t, Filesystem> filesystems_;
  std::vector<std::string> asked_addresses_;
  dev_t last_device_ = 40;
  int resolved_ = 0;
  std::atomic<int> held_calls_ = 0;
};

}  // namespace longshore::smb
