// The records of links on real files.
#include "smb/windows/link_records.h"

#include <windows.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/outcome.h"

namespace longshore::smb {
namespace {

namespace fs = std::filesystem;
using test::outcome;
using Links = std::vector<std::string>;

// A folder of the test's own.
class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path_), {}));
  }

 private:
  const fs::path path_ =
      fs::temp_directory_path() / ("longshore-links-" + std::to_string(GetCurrentProcessId()));
};

RemotePath recorded_share(const std::string& text) { return *RemotePath::parse(text, "test"); }

TEST_CASE("links are kept for each share, also by the next process") {
  const Folder folder;
  const RemotePath one = recorded_share("//files/share");
  const RemotePath other = recorded_share("//files/my share/a");
  {
    LinkRecords records(folder.path());
    CHECK(records.links_to(one)->empty());
    REQUIRE(records.add(one, "C:\\a"));
    REQUIRE(records.add(one, "C:\\\xc3\xa4"));
    REQUIRE(records.add(one, "C:\\a"));
    REQUIRE(records.add(other, "C:\\b"));
  }
  LinkRecords records(folder.path());
  CHECK(*records.links_to(one) == Links{"C:\\a", "C:\\\xc3\xa4"});
  CHECK(*records.links_to(recorded_share("//FILES/Share/below")) == Links{"C:\\a", "C:\\\xc3\xa4"});
  CHECK(*records.links_to(other) == Links{"C:\\b"});
  REQUIRE(records.forget(one, {"C:\\a", "C:\\none"}));
  CHECK(*records.links_to(one) == Links{"C:\\\xc3\xa4"});
  REQUIRE(records.forget(one, {"C:\\\xc3\xa4"}));
  CHECK(records.links_to(one)->empty());
  CHECK(folder.files() == 1);
}

TEST_CASE("shares whose names no file could have are kept apart") {
  const Folder folder;
  LinkRecords records(folder.path());
  const Links shares = {"//fe80::1/share", "//fe80-1/share", "//files/a.b",     "//files/a%2eb",
                        "//files/con",     "//files/a",      "//files/\xc3\xa4"};
  for (const std::string& share : shares)
    REQUIRE(records.add(recorded_share(share), "C:\\" + share));
  for (const std::string& share : shares) {
    CHECK(*records.links_to(recorded_share(share)) == Links{"C:\\" + share});
  }
  CHECK(folder.files() == shares.size());
}

TEST_CASE("without a directory the records last as long as they live") {
  LinkRecords records("");
  REQUIRE(records.add(recorded_share("//files/share"), "C:\\a"));
  CHECK(*records.links_to(recorded_share("//files/share")) == Links{"C:\\a"});
  REQUIRE(records.forget(recorded_share("//files/share"), {"C:\\a"}));
  CHECK(records.links_to(recorded_share("//files/share"))->empty());
}

TEST_CASE("a record that cannot be written or read is an error") {
  const Folder folder;
  const RemotePath share = recorded_share("//files/share");
  // A file where the directory should be, and a directory where the file should be.
  std::ofstream(folder.path() + "\\file") << "x";
  LinkRecords misplaced(folder.path() + "\\file");
  CHECK_FALSE(misplaced.add(share, "C:\\a"));
  fs::create_directories(folder.path() + "\\links-to-files+share.txt\\x");
  LinkRecords records(folder.path());
  const auto links = records.links_to(share);
  CHECK_FALSE(links);
  CHECK_FALSE(records.add(share, "C:\\a"));
}

TEST_CASE("lines that make no sense are nobody's links") {
  const Folder folder;
  std::ofstream(folder.path() + "\\links-to-files+share.txt", std::ios::binary)
      << "\n\nC:\\a\nno path\nC:\\b";
  LinkRecords records(folder.path());
  CHECK(*records.links_to(recorded_share("//files/share")) == Links{"C:\\a", "no path", "C:\\b"});
}

}  // namespace
}  // namespace longshore::smb
