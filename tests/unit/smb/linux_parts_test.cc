// Parts of the Linux backend that need no world: options, addresses, the probe, and what this
// kernel says when it is asked in earnest.
#include <netdb.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "smb/linux/bounded_calls.h"
#include "smb/linux/cifs_mounts.h"
#include "smb/linux/host_addresses.h"
#include "smb/linux/mount_options.h"

namespace longshore::smb {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_CASE("the mount options that are allowed are taken") {
  const auto options = MountOptions::from({"vers=3.1.1", "uid=1000", "gid=0", "file_mode=0640",
                                           "dir_mode=0750", "noperm", "noserverino"});
  REQUIRE(options);
  REQUIRE(options->options().size() == 7);
  CHECK(options->options()[0].name == "vers");
  CHECK(options->options()[0].value == "3.1.1");
  CHECK(options->options()[5].name == "noperm");
  CHECK(options->options()[5].value.empty());
  CHECK(MountOptions::from({})->options().empty());
}

TEST_CASE("all other mount options are refused") {
  const auto text = GENERATE(
      as<std::string>(), "", "=", "password=x", "sec=none", "ip=1.2.3.4", "credentials=/etc/passwd",
      "uid", "uid=", "uid=root", "uid=-1", "uid=12345678901", "uid=4294967296", "gid=4294967295",
      "vers=.", "vers=1..2", "vers=1.0", "vers=4", "noperm=", "noperm=1", "file_mode=0888",
      "file_mode=07777", "dir_mode=777", "vers=3.0,sec=none", "vers=3 ", "Noperm", "hard",
      "multiuser", "nosharesock", "mfsymlinks");
  CAPTURE(text);
  const auto options = MountOptions::from({"noperm", text});
  REQUIRE_FALSE(options);
  CHECK(options.error().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("versions of SMB that cannot encrypt are refused where everything has to be") {
  const auto [text, may_encrypt] = GENERATE(table<std::string, bool>({
      {"vers=2.1", false},
      {"vers=3", true},
      {"vers=3.0", true},
      {"vers=3.02", true},
      {"vers=3.0.2", true},
      {"vers=3.11", true},
      {"vers=3.1.1", true},
      {"vers=default", true},
  }));
  CAPTURE(text);
  CHECK(MountOptions::from({text}, /*require_privacy=*/false));
  CHECK(static_cast<bool>(MountOptions::from({text}, /*require_privacy=*/true)) == may_encrypt);
}

TEST_CASE("addresses are their own addresses") {
  const auto address = GENERATE(as<std::string>(), "127.0.0.1", "::1", "192.0.2.7");
  const auto addresses = addresses_of(address);
  REQUIRE(addresses);
  CHECK(*addresses == std::vector<std::string>{address});
}

TEST_CASE("why a host has no address is a sentence with advice") {
  const auto [answer, code, words] = GENERATE(table<int, std::string, std::string>({
      {EAI_NONAME, "NOT_FOUND", "names of cluster services do not resolve on the node"},
      {EAI_AGAIN, "UNAVAILABLE", "name server does not answer"},
      {EAI_FAIL, "UNAVAILABLE", "use the address"},
      {EAI_MEMORY, "RESOURCE_EXHAUSTED", "emory"},
      {EAI_SYSTEM, "UNAVAILABLE", "Too many open files"},
  }));
  const Error error = no_addresses("files", answer, EMFILE);
  CHECK(status_code_name(error.code()) == code);
  CHECK_THAT(error.message(), Catch::Contains(words) && Catch::Contains("\"files\""));
}

// An answer that comes when the test says so.
class HeldAnswer {
 public:
  std::error_code await() {
    std::unique_lock lock(mutex_);
    ++asked_;
    given_changed_.wait_for(lock, seconds(30), [&] { return given_; });
    return {};
  }
  void give() {
    const std::lock_guard lock(mutex_);
    given_ = true;
    given_changed_.notify_all();
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_changed_;
  bool given_ = false;
  int asked_ = 0;
};

std::error_code itself(const std::error_code& error) { return error; }

TEST_CASE("a bounded call has its own answer or failure") {
  BoundedCalls<std::error_code> calls;
  const auto stale = [] { return std::error_code(ESTALE, std::generic_category()); };
  CHECK(calls.run("x", seconds(30), stale, itself).value() == ESTALE);
  const auto broken = []() -> std::error_code { throw std::runtime_error("broken"); };
  CHECK_THROWS_WITH(calls.run("x", seconds(30), broken, itself), "broken");
  CHECK(calls.count() == 0);
}

TEST_CASE("a call that hangs is given up, and nobody hangs with it") {
  HeldAnswer answer;
  BoundedCalls<std::error_code> calls;
  const auto hang = [&] { return answer.await(); };
  const auto live = [] { return std::error_code(); };
  CHECK(calls.run("dead", milliseconds(1), hang, itself) == std::errc::timed_out);
  // One thread hangs, not one for each who asks; and others are answered.
  CHECK(calls.run("dead", seconds(30), hang, itself) == std::errc::timed_out);
  CHECK(calls.run("dead", seconds(30), hang, itself) == std::errc::timed_out);
  CHECK(answer.asked() <= 1);
  CHECK_FALSE(calls.run("alive", seconds(30), live, itself));
  CHECK(calls.count() == 1);
  answer.give();
  // What hung is over, and whoever asks next clears it away.
  const auto end = std::chrono::steady_clock::now() + seconds(30);
  while (calls.count() != 0 && std::chrono::steady_clock::now() < end) {
    CHECK_FALSE(calls.run("alive", seconds(30), live, itself));
  }
  CHECK(calls.count() == 0);
  CHECK_FALSE(calls.run("dead", seconds(30), hang, itself));
  CHECK(answer.asked() == 2);
}

TEST_CASE("what comes too late and what the call held are let go") {
  HeldAnswer answer;
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> given = held;
  {
    BoundedCalls<std::shared_ptr<int>> calls;
    const auto late = calls.run(
        "dead", milliseconds(1),
        [&answer, kept = std::move(held)] {
          answer.await();
          return kept;
        },
        [](const std::error_code&) { return nullptr; });
    CHECK_FALSE(late);
    CHECK_FALSE(given.expired());
    answer.give();
    const auto end = std::chrono::steady_clock::now() + seconds(30);
    while (!given.expired() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    CHECK(given.expired());
  }
}

TEST_CASE("addresses are compared in their shortest spelling") {
  const auto [text, shortest] = GENERATE(table<std::string, std::string>({
      {"192.0.2.7", "192.0.2.7"},
      {"fe80:0000:0000:0000:0000:0000:0000:0001", "fe80::1"},
      {"fe80:0000:0000:0000:0000:0000:0000:0001%2", "fe80::1"},
      {"", ""},
      {"files", "files"},
  }));
  CHECK(shortest_address(text) == shortest);
}

TEST_CASE("this kernel is asked in earnest") {
  CifsMounts mounts(*MountOptions::from({}), /*require_privacy=*/true);
  std::string user = "u";
  std::string password = "p";
  const auto credentials = Credentials::take(user, password);
  // Nothing listens on port 445 of this address, if the kernel gets as far as asking.
  const auto mounted = mounts.mount(*RemotePath::parse("//127.0.0.2/share", "map"), "127.0.0.2",
                                    *credentials, ShareMounts::Connection::kShared);
  REQUIRE_FALSE(mounted);
  const int answer = mounted.error().system().value();
  CAPTURE(answer);
  CHECK((answer == ENODEV || answer == EPERM || answer == ECONNREFUSED));
}

TEST_CASE("what is no mount is gone already") {
  CifsMounts mounts(*MountOptions::from({}), true);
  CHECK_FALSE(mounts.detach({"/nonexistent"}));
  CHECK_FALSE(mounts.detach({"/proc/self"}));
  const auto mounted = mounts.mounted_below("/nonexistent");
  REQUIRE(mounted);
  CHECK(mounted->empty());
}

TEST_CASE("this kernel's filesystems are asked for a sign of life") {
  CifsMounts mounts(*MountOptions::from({}), true);
  CHECK_FALSE(mounts.probe({"/"}, seconds(30)));
  CHECK(mounts.probe({"/nonexistent"}, seconds(30)) == std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace longshore::smb
