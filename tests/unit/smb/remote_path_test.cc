// What may be asked of a file server.
#include "smb/remote_path.h"

#include <catch2/catch.hpp>

namespace longshore::smb {
namespace {

std::string complaint_about(const std::string& text) {
  const auto path = RemotePath::parse(text, "map");
  if (path) return "none: " + path->text();
  CHECK(path.error().code() == StatusCode::kInvalidArgument);
  return path.error().message();
}

TEST_CASE("a remote path is taken apart") {
  const auto [text, host, share,
              below] = GENERATE(table<std::string, std::string, std::string, std::string>({
      {"\\\\Files\\Share", "files", "share", ""},
      {"//files/share", "files", "share", ""},
      {"\\\\files\\SHARE\\", "files", "share", ""},
      {"//files.Example.ORG//share//Dir//Sub Dir/", "files.example.org", "share", "Dir/Sub Dir"},
      {"\\\\10.0.0.1\\share$\\A", "10.0.0.1", "share$", "A"},
      {"//fe80::1/share", "fe80::1", "share", ""},
      {"//FE80::1:2/My Share/x", "fe80::1:2", "my share", "x"},
      {"files/share", "files", "share", ""},
      {"\\\\files\\share\\a..b\\...", "files", "share", "a..b/..."},
      {"//files/share/\xc3\xa4", "files", "share", "\xc3\xa4"},
  }));
  CAPTURE(text);
  const auto path = RemotePath::parse(text, "map");
  REQUIRE(path);
  CHECK(path->host() == host);
  CHECK(path->share() == share);
  CHECK(path->below() == below);
  CHECK(path->mapping() == "//" + host + "/" + share);
  CHECK(path->text() == "//" + host + "/" + share + (below.empty() ? "" : "/" + below));
  // It is its own shortest spelling.
  CHECK(RemotePath::parse(path->text(), "map")->text() == path->text());
}

TEST_CASE("what names no share is refused with csi-proxy's words") {
  CHECK_THAT(complaint_about(""), Catch::Contains("remote path is empty"));
  const auto text = GENERATE(as<std::string>(), "\\\\files", "//files/", "//", "\\", "files");
  CAPTURE(text);
  CHECK_THAT(complaint_about(text),
             Catch::Contains("remote path (" + text + ") is invalid: it names no share"));
}

TEST_CASE("what could be read as something else is refused") {
  const auto text = GENERATE(
      as<std::string>(), "//files/share/..", "//files/share/../other", "//files/./share",
      "//files/share/a/./b", "//../share", "//files/..", "//files,sec=none/share",
      "//files/share,uid=0", "//user@files/share", "//files:445/share", "C:\\share\\x",
      "smb://files/share", "//[fe80::1]/share", "//fe80::1%eth0/share", "//files/a:b", "//-o/share",
      "//.files/share", "//fi..les/share", "//files/a*", "//files/a?b", "//files/\"a\"",
      "//files/share\n", "//files/share/a\tb", "//fi les/share", "//files/share/\x7f");
  CAPTURE(text);
  CHECK_THAT(complaint_about(text), Catch::Contains("is invalid"));
}

TEST_CASE("a NUL ends nothing") {
  CHECK_THAT(complaint_about(std::string("//files/share\0/x", 16)), Catch::Contains("control"));
}

TEST_CASE("the longest share that Linux takes is taken") {
  const std::string text = "//" + std::string(200, 'a') + "/" + std::string(52, 'b');
  CHECK(RemotePath::parse(text + "/below", "map")->mapping() == text);
}

TEST_CASE("what is too long is refused and not repeated at length") {
  const std::string text =
      GENERATE("//" + std::string(254, 'a') + "/share", "//files/" + std::string(81, 'a'),
               "//files/share/" + std::string(256, 'a'), "//files/share" + std::string(3000, '/'),
               "//" + std::string(200, 'a') + "/" + std::string(53, 'b'));
  const std::string complaint = complaint_about(text);
  CHECK_THAT(complaint, Catch::Contains("is invalid"));
  CHECK(complaint.size() < 250);
}

}  // namespace
}  // namespace longshore::smb
