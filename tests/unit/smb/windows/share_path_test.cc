// How Windows writes shares, and reads them back from links.
#include "smb/windows/share_path.h"

#include <catch2/catch.hpp>

namespace longshore::smb {
namespace {

RemotePath remote(const std::string& text) { return *RemotePath::parse(text, "test"); }

TEST_CASE("a remote path is written as Windows does") {
  CHECK(mapping_root(remote("//Files/My Share/A/b")) == "\\\\files\\my share");
  CHECK(share_path(remote("//Files/Share/A/b")) == "\\\\files\\share\\A\\b");
  CHECK(share_path(remote("//files/share")) == "\\\\files\\share");
  CHECK(share_path(remote("//FE80::1/share/a")) == "\\\\fe80--1.ipv6-literal.net\\share\\a");
}

TEST_CASE("the text of a link is read as the remote path that it was made of") {
  for (const char* const text :
       {"//files/share", "//files/share/A/b", "//192.0.2.1/share", "//fe80::1/share/a",
        "//my-files/share", "//a--b.example.org/share"}) {
    const RemotePath path = remote(text);
    CHECK(remote_path_of_link(share_path(path) + "\\")->text() == text);
    CHECK(remote_path_of_link("\\\\?\\UNC" + share_path(path).substr(1))->text() == text);
  }
}

TEST_CASE("what is no path of a share is no remote path") {
  const std::string text =
      GENERATE("", "C:\\a\\b", "a\\b", "\\a\\b", "\\\\?\\C:\\a", "\\\\.\\pipe\\x", "\\\\?\\UNC",
               "\\\\files", "\\\\files\\", "\\\\files\\share\\..\\x", "//files/share",
               "\\\\?\\Volume{00000000-0000-0000-0000-000000000000}\\");
  CAPTURE(text);
  CHECK_FALSE(remote_path_of_link(text));
}

}  // namespace
}  // namespace longshore::smb
