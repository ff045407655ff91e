#include "support/linux/mount_keys.h"

#include <catch2/catch.hpp>

namespace longshore::support {
namespace {

std::string key_of(std::string_view table, const std::string& path,
                   const std::vector<std::string>& roots = {"/var/lib/kubelet"}) {
  const auto mounts = parse_mounts(table, "a test's table");
  REQUIRE(mounts);
  const MountKeys keys(*mounts, *AllowedRoots::from(roots));
  return std::string(keys.key_of(*PosixPath::parse(path, "test")));
}

// What is mounted on the path of the test.
std::string key_on(const std::string& type_and_source) {
  const std::string table =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 0:50 / /var/lib/kubelet/m rw shared:3 - " +
      type_and_source + " rw\n";
  return key_of(table, "/var/lib/kubelet/m/x");
}

TEST_CASE("what lies on a server hangs on the server") {
  CHECK(key_on("nfs4 Files.Example:/export/a") == "files.example");
  CHECK(key_on("nfs 192.0.2.1:/export") == "192.0.2.1");
  CHECK(key_on("nfs4 [2001:DB8::1]:/export") == "2001:db8::1");
  CHECK(key_on("nfs 2001:db8::1:/export") == "2001:db8::1");
  CHECK(key_on("cifs //Files.example/share/dir") == "files.example");
  CHECK(key_on("smb3 \\134\\134files\\134share") == "files");
  CHECK(key_on("cifs //files") == "files");
}

TEST_CASE("a server that is not named leaves the filesystem") {
  CHECK(key_on("nfs4 files") == "nfs4 0:50");
  CHECK(key_on("cifs share") == "cifs 0:50");
  CHECK(key_on("cifs /") == "cifs 0:50");
  CHECK(key_on("cifs //") == "cifs 0:50");
  CHECK(key_on("nfs4 ") == "nfs4 0:50");
}

TEST_CASE("any other mount hangs on its filesystem, wherever that is mounted") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 8:17 / /var/lib/kubelet/plugins/global rw - xfs /dev/sdb1 rw\n"
      "31 20 8:17 /sub /var/lib/kubelet/pods/1 rw - xfs /dev/sdb1 rw\n"
      "32 20 0:60 / /var/lib/kubelet/pods/2 rw - fuse.sshfs user@host:/ rw\n";
  CHECK(key_of(kTable, "/var/lib/kubelet/plugins/global/x") == "xfs 8:17");
  CHECK(key_of(kTable, "/var/lib/kubelet/pods/1") == "xfs 8:17");
  CHECK(key_of(kTable, "/var/lib/kubelet/pods/2/x") == "fuse.sshfs 0:60");
}

TEST_CASE("on the filesystem of an allowed root every path stands for itself") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 8:2 / /data rw - ext4 /dev/sda2 rw\n"
      "31 20 8:1 /some/where /var/lib/kubelet/pods/1 rw - ext4 /dev/sda1 rw\n"
      "32 30 0:50 / /data/m rw - tmpfs tmpfs rw\n";
  CHECK(key_of(kTable, "/var/lib/kubelet/x").empty());
  CHECK(key_of(kTable, "/var/lib/kubelet/pods/1/x").empty());
  CHECK(key_of(kTable, "/data/x") == "ext4 8:2");
  CHECK(key_of(kTable, "/data/x", {"/var/lib/kubelet", "/data"}).empty());
  CHECK(key_of(kTable, "/data/m/x", {"/var/lib/kubelet", "/data"}) == "tmpfs 0:50");
}

TEST_CASE("but not on one that somebody else answers for") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 0:50 / /nfs rw - nfs4 files:/a rw\n"
      "31 20 0:51 / /fuse rw - fuse source rw\n"
      "32 20 8:33 / /ntfs rw - fuseblk /dev/sdc1 rw\n";
  const std::vector<std::string> roots = {"/nfs", "/fuse", "/ntfs/pods"};
  CHECK(key_of(kTable, "/nfs/x", roots) == "files");
  CHECK(key_of(kTable, "/fuse/x", roots) == "fuse 0:51");
  CHECK(key_of(kTable, "/ntfs/pods/x", roots) == "fuseblk 8:33");
}

TEST_CASE("beneath autofs lie many servers") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 0:50 / /net rw - autofs systemd-1 rw\n"
      "31 30 0:51 / /net/files rw - nfs4 files:/ rw\n";
  CHECK(key_of(kTable, "/net/other/x").empty());
  CHECK(key_of(kTable, "/net/files/x") == "files");
}

TEST_CASE("what nothing is known of has no key") {
  CHECK(key_of("", "/var/lib/kubelet/x").empty());
  CHECK(MountKeys().key_of(*PosixPath::parse("/", "test")).empty());
}

}  // namespace
}  // namespace longshore::support
