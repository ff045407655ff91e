// Parts of the Linux backend that need no world: options, and what this kernel says when
// it is asked in earnest.
#include <catch2/catch.hpp>
#include <cerrno>

#include "smb/linux/cifs_mounts.h"
#include "smb/linux/mount_options.h"

namespace longshore::smb {
namespace {

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
  CHECK_FALSE(mounts.probe({"/"}));
  CHECK(mounts.probe({"/nonexistent"}) == std::errc::no_such_file_or_directory);
}

}  // namespace
}  // namespace longshore::smb
