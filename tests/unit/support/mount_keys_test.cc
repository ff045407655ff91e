#include "support/linux/mount_keys.h"

#include <catch2/catch.hpp>

#include "tests/unit/block/fake_sysfs.h"

namespace longshore::support {
namespace {

std::string key_of(std::string_view table, const std::string& path,
                   const std::vector<std::string>& roots = {"/var/lib/kubelet"},
                   const std::string& sysfs_root = "/no/sysfs") {
  const auto mounts = parse_mounts(table, "a test's table");
  REQUIRE(mounts);
  const MountKeys keys(*mounts, *AllowedRoots::from(roots), sysfs_root);
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

TEST_CASE("a mount of a disk hangs on the disk, whatever of it is mounted and where") {
  const block::FakeSysfs sysfs;
  sysfs.put_disk("sdb", "7", "8:16");
  sysfs.put_partition("sdb", "sdb1", 1, "8:17");
  sysfs.put_partition("sdb", "sdb2", 2, "8:18");
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 8:17 / /var/lib/kubelet/plugins/global rw - xfs /dev/sdb1 rw\n"
      "31 20 8:17 /sub /var/lib/kubelet/pods/1 rw - xfs /dev/sdb1 rw\n"
      "32 20 8:18 / /var/lib/kubelet/pods/2 rw - fuseblk /dev/sdb2 rw\n"
      "33 20 8:33 / /var/lib/kubelet/pods/3 rw - ext4 /dev/sdc1 rw\n"
      "34 20 0:60 / /var/lib/kubelet/pods/4 rw - btrfs /no/node rw\n";
  const auto key = [&](const std::string& name) {
    return key_of(kTable, "/var/lib/kubelet/" + name, {"/var/lib/kubelet"}, sysfs.root());
  };
  CHECK(key("plugins/global/x") == "disk 7");
  CHECK(key("pods/1") == "disk 7");
  CHECK(key("pods/2/x") == "disk 7");
  // The disk is gone, or nothing is known of it.
  CHECK(key("pods/3") == "ext4 8:33");
  CHECK(key("pods/4") == "btrfs 0:60");
  CHECK(key("pods/5").empty());
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

struct Links {
  explicit Links(std::string_view table, const std::vector<std::string>& roots = {"/root"})
      : keys(*parse_mounts(table, "a test's table"), *AllowedRoots::from(roots), "/no/sysfs") {}

  bool may_look_at(std::string_view path) const { return keys.may_look_at(path); }

  const MountKeys keys;
};

TEST_CASE("links matter where a mount that may hang lies in a root or holds one") {
  const std::string top = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
  const auto matter = [&](const std::string& more) { return Links(top + more).keys.has_silent(); };
  CHECK_FALSE(matter(""));
  CHECK_FALSE(matter("30 20 0:50 / /root/pods/1 rw - tmpfs tmpfs rw\n"));
  CHECK_FALSE(matter("30 20 8:17 / /root rw - ext4 /dev/sdb1 rw\n"));
  CHECK_FALSE(matter("30 20 0:50 / /elsewhere rw - nfs4 files:/ rw\n"));
  CHECK_FALSE(matter("30 20 0:50 / /root-2 rw - fuse source rw\n"));
  for (const std::string type_and_source :
       {"fuse source", "nfs4 files:/", "cifs //files/share", "9p source", "ext4 /dev/sdb1"}) {
    CHECK(matter("30 20 0:50 / /root/pods/1 rw - " + type_and_source + " rw\n"));
  }
  CHECK(matter("30 20 0:50 / /root/a\\134b rw - fuse source rw\n"));
  CHECK(matter("30 20 0:50 / /root rw - fuse source rw\n"));
  CHECK_FALSE(MountKeys().has_silent());
}

TEST_CASE("nothing is looked at that lies on what may hang, or below it") {
  const Links links(
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "21 20 8:2 / /root rw - ext4 /dev/sda2 rw\n"
      "30 21 0:50 / /root/memory rw - tmpfs tmpfs rw\n"
      "31 21 0:51 / /root/fuse rw - fuse source rw\n"
      "32 31 8:2 /some/where /root/fuse/bind rw - ext4 /dev/sda2 rw\n"
      "33 21 8:17 / /root/disk rw - ext4 /dev/sdb1 rw\n"
      "34 21 0:52 / /root/net rw - autofs systemd-1 rw\n");
  for (const char* path : {"/", "/x", "/root", "/root/x", "/root/memory", "/root/memory/x"}) {
    CAPTURE(path);
    CHECK(links.may_look_at(path));
  }
  for (const char* path : {"/root/fuse", "/root/fuse/x", "/root/fuse/bind/x", "/root/disk/x",
                           "/root/net", "/root/net/x"}) {
    CAPTURE(path);
    CHECK_FALSE(links.may_look_at(path));
  }
}

TEST_CASE("what nothing is known of has no key") {
  CHECK(key_of("", "/var/lib/kubelet/x").empty());
  CHECK(MountKeys().key_of(*PosixPath::parse("/", "test")).empty());
}

}  // namespace
}  // namespace longshore::support
