#include "support/linux/mount_points.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/bind_mount.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tmpfs_mount.h"

namespace longshore::support {
namespace {

// The id of the mount that the path lies on; 0: none.
uint64_t id_of(std::string_view table, std::string_view path) {
  const auto mounts = parse_mounts(table, "a test's table");
  REQUIRE(mounts);
  const auto place = MountPoints(*mounts).mount_of(*PosixPath::parse(path, "test"));
  return place ? (*mounts)[*place].id : 0;
}

TEST_CASE("a path lies on the mount with the longest point above it, name by name") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "21 20 0:5 / /proc rw - proc proc rw\n"
      "30 20 8:2 / /srv/a rw shared:7 - ext4 /dev/sda2 rw\n"
      "31 30 0:50 / /srv/a/b rw - nfs4 files:/b rw\n"
      "32 20 0:51 / /srv/ab rw - tmpfs tmpfs rw\n";
  CHECK(id_of(kTable, "/") == 20);
  CHECK(id_of(kTable, "/srv") == 20);
  CHECK(id_of(kTable, "/srv/a") == 30);
  CHECK(id_of(kTable, "/srv/a/") == 30);
  CHECK(id_of(kTable, "/srv/a/x/y") == 30);
  CHECK(id_of(kTable, "/srv//a/./b") == 31);
  CHECK(id_of(kTable, "/srv/a/b/c/d") == 31);
  CHECK(id_of(kTable, "/srv/a/bc") == 30);
  CHECK(id_of(kTable, "/srv/ab/c") == 32);
  CHECK(id_of(kTable, "/srv/abc") == 20);
  CHECK(id_of(kTable, "/procx") == 20);
}

TEST_CASE("points are told apart by their real names") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 0:50 / /two\\040words rw - tmpfs tmpfs rw\n"
      "31 20 0:51 / /tab\\011and\\134 rw - tmpfs tmpfs rw\n";
  CHECK(id_of(kTable, "/two words/x") == 30);
  CHECK(id_of(kTable, "/two") == 20);
  CHECK(id_of(kTable, "/tab\tand") == 20);
}

TEST_CASE("what is mounted over a mount covers it") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 0:50 / /a/b rw - tmpfs lower rw\n"
      "31 30 0:51 / /a/b rw - tmpfs upper rw\n"
      "32 30 0:52 / /a/b/c rw - tmpfs beneath rw\n"
      "40 20 0:53 / /d/e rw - tmpfs covered rw\n"
      "41 20 0:54 / /d rw - tmpfs above rw\n"
      "42 41 0:55 / /d/f rw - tmpfs open rw\n";
  CHECK(id_of(kTable, "/a/b/x") == 31);
  CHECK(id_of(kTable, "/a/b/c/x") == 31);
  CHECK(id_of(kTable, "/d/e/x") == 41);
  CHECK(id_of(kTable, "/d/f/x") == 42);
}

TEST_CASE("the order of the table says nothing: a mount that was moved keeps its line") {
  constexpr auto kTable =
      "31 30 0:51 / /a rw - tmpfs upper rw\n"
      "30 20 0:50 / /a rw - tmpfs lower rw\n"
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
  CHECK(id_of(kTable, "/a/x") == 31);
  CHECK(id_of(kTable, "/b") == 20);
}

TEST_CASE("a process sees its own root, and perhaps no mount on it") {
  // Over a root that is its own parent, as in a namespace's first mount.
  CHECK(id_of("1 1 0:2 / / rw - rootfs rootfs rw\n20 1 8:1 / / rw - ext4 /dev/sda1 rw\n", "/x") ==
        20);
  // In a folder of a mount that is not listed.
  constexpr auto kTable = "30 20 0:50 / /a rw - tmpfs tmpfs rw\n";
  CHECK(id_of(kTable, "/a/x") == 30);
  CHECK(id_of(kTable, "/b") == 0);
  CHECK(id_of("", "/") == 0);
}

TEST_CASE("a mount of what was deleted since is a mount") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 8:1 /var/gone//deleted /a rw - ext4 /dev/sda1 rw\n";
  CHECK(id_of(kTable, "/a/x") == 30);
}

TEST_CASE("a table that changed while it was read ends the search") {
  constexpr auto kTable =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 20 0:50 / /a rw - tmpfs one rw\n"
      "31 30 0:51 / /a rw - tmpfs two rw\n"
      "30 31 0:52 / /a rw - tmpfs three rw\n";
  CHECK(id_of(kTable, "/a/x") != 20);
  CHECK(id_of(kTable, "/b/x") == 20);
}

TEST_CASE("the kernel says the same") {
  const test::TemporaryDirectory directory;
  const auto make = [&](const std::string& name) {
    std::filesystem::create_directories(directory / name);
    return directory / name;
  };
  const test::TmpfsMount lower(make("a"));
  const test::TmpfsMount hidden(make("a/b"));
  const test::TmpfsMount upper(directory / "a");
  const test::TmpfsMount inner(make("a/in ner"));
  make("a/in ner/x");
  make("plain/x");
  const test::BindMount bound(directory / "a", make("bound"));
  const test::TmpfsMount moved(make("moved"));
  const test::TmpfsMount place(make("place"));
  make("place/x");
  // Over a mount that is later in the table.
  REQUIRE(::mount((directory / "moved").c_str(), (directory / "place").c_str(), nullptr, MS_MOVE,
                  nullptr) == 0);

  const auto mounts = read_mounts();
  REQUIRE(mounts);
  const MountPoints points(*mounts);
  make("place/y");
  for (const std::string name : {"", "a", "a/in ner", "a/in ner/x", "plain", "plain/x", "bound",
                                 "bound/in ner", "moved", "place", "place/y"}) {
    CAPTURE(name);
    const std::string path = directory / name;
    struct statx facts {};
    REQUIRE(::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &facts) == 0);
    const auto found = points.mount_of(*PosixPath::parse(path, "test"));
    REQUIRE(found);
    CHECK((*mounts)[*found].id == facts.stx_mnt_id);
  }
  ::umount2((directory / "place").c_str(), UMOUNT_NOFOLLOW | MNT_DETACH);
}

}  // namespace
}  // namespace longshore::support
