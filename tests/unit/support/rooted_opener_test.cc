#include "support/linux/rooted_opener.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace longshore::support {
namespace {

namespace fs = std::filesystem;

// <tmp>/root and <tmp>/other are allowed, <tmp>/secret is not.
class Roots {
 public:
  Roots() {
    for (const char* name : {"root/a/b", "other/x", "secret"}) fs::create_directories(at(name));
    test::write_file(at("root/a/b/file"), "inside");
    test::write_file(at("other/x/file"), "other");
    test::write_file(at("secret/file"), "secret");
  }

  std::string at(const std::string& name) const { return directory_ / name; }
  void link(const std::string& text, const std::string& name) const {
    fs::create_symlink(text, at(name));
  }
  RootedOpener beneath() const {
    return RootedOpener(*AllowedRoots::from({at("root"), at("other")}));
  }

  // What the path leads to: the content of a file, "directory", or the error's code.
  std::string open(const std::string& name) const {
    const auto opened = beneath().open(*PosixPath::parse(at(name), "test"), "open");
    if (!opened) return status_code_name(opened.error().code());
    struct stat status {};
    if (::fstat(opened->get(), &status) != 0) return "no status";
    if (S_ISDIR(status.st_mode)) return "directory";
    std::ifstream file("/proc/self/fd/" + std::to_string(opened->get()));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Whether the last name's directory can be reached and the name is there, links not followed.
  std::string entry(const std::string& name) const {
    const auto entry = beneath().entry(*PosixPath::parse(at(name), "test"), "open");
    if (!entry) return status_code_name(entry.error().code());
    struct stat status {};
    if (::fstatat(entry->directory.get(), entry->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return "absent";
    }
    return S_ISLNK(status.st_mode) ? "link" : S_ISDIR(status.st_mode) ? "directory" : "file";
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_CASE("plain paths are reached") {
  const Roots roots;
  CHECK(roots.open("root") == "directory");
  CHECK(roots.open("root/a/b/file") == "inside");
  CHECK(roots.open("root/a/none") == "NOT_FOUND");
  CHECK(roots.open("root/a/b/file/x") == "FAILED_PRECONDITION");
  CHECK(roots.entry("root") == "directory");
  CHECK(roots.entry("root/a") == "directory");
  CHECK(roots.entry("root/a/b/file") == "file");
  CHECK(roots.entry("root/a/none") == "absent");
  CHECK(roots.entry("root/none/x") == "NOT_FOUND");
  CHECK(roots.entry("root/a/b/file/x") == "FAILED_PRECONDITION");
}

TEST_CASE("links that stay inside are followed, relative and absolute") {
  const Roots roots;
  roots.link("a/b", "root/relative");
  roots.link("../a/./b", "root/a/up");
  roots.link(roots.at("root/a/b"), "root/absolute");
  roots.link(roots.at("root//a/../a") + "/b/", "root/roundabout");
  roots.link(roots.at("other"), "root/to-other");
  roots.link(roots.at("root/absolute"), "root/twice");
  roots.link(roots.at("root"), "root/a/to-root");
  for (const char* link : {"relative", "a/up", "absolute", "roundabout", "twice"}) {
    CAPTURE(link);
    CHECK(roots.open("root/" + std::string(link) + "/file") == "inside");
    CHECK(roots.open("root/" + std::string(link)) == "directory");
    CHECK(roots.entry("root/" + std::string(link) + "/file") == "file");
    CHECK(roots.entry("root/" + std::string(link)) == "link");
  }
  CHECK(roots.open("root/to-other/x/file") == "other");
  CHECK(roots.open("root/a/to-root/a/to-root/absolute/file") == "inside");
}

TEST_CASE("links that lead out are refused wherever they stand in the path") {
  const Roots roots;
  std::string text =
      GENERATE(as<std::string>(), "@/secret", "../secret", "../root/../secret", "/", "..", "/etc",
               "/..", "@/root/../secret", "@/rootX", "/proc/self/root@/secret");
  CAPTURE(text);
  if (const size_t base = text.find('@'); base != std::string::npos) {
    text.replace(base, 2, roots.at(""));
  }
  roots.link(text, "root/out");
  roots.link("out", "root/via");
  CHECK(roots.open("root/out/file") == "PERMISSION_DENIED");
  CHECK(roots.open("root/out") == "PERMISSION_DENIED");
  CHECK(roots.open("root/via/file") == "PERMISSION_DENIED");
  CHECK(roots.entry("root/out/file") == "PERMISSION_DENIED");
  CHECK(roots.entry("root/via/deeper/file") == "PERMISSION_DENIED");
  CHECK(roots.entry("root/out") == "link");
}

TEST_CASE("a link that leads out says which rule it breaks") {
  const Roots roots;
  roots.link("../secret", "root/out");
  const auto opened =
      roots.beneath().open(*PosixPath::parse(roots.at("root/out/file"), "test"), "open");
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message() ==
        "cannot open \"" + roots.at("root/out/file") +
            "\": a link on the way leads out of the working directories [\"" + roots.at("root") +
            "\", \"" + roots.at("other") +
            "\"]; links are followed only within the option allowed_roots of the module");
}

TEST_CASE("links in a circle end") {
  const Roots roots;
  roots.link("round", "root/round");
  roots.link(roots.at("root/y"), "root/x");
  roots.link(roots.at("root/x"), "root/y");
  CHECK(roots.open("root/round/file") == "FAILED_PRECONDITION");
  CHECK(roots.open("root/x/file") == "FAILED_PRECONDITION");
  CHECK(roots.entry("root/x/file") == "FAILED_PRECONDITION");
  CHECK(roots.entry("root/x") == "link");
}

TEST_CASE("a missing root is named") {
  const Roots roots;
  fs::remove_all(roots.at("root"));
  const auto opened = roots.beneath().open(*PosixPath::parse(roots.at("root/a"), "test"), "open");
  REQUIRE_FALSE(opened);
  CHECK(opened.error().code() == StatusCode::kNotFound);
  CHECK_THAT(opened.error().message(),
             Catch::Contains("the working directory \"" + roots.at("root") +
                             "\" itself cannot be opened"));
}

TEST_CASE("a root may itself be reached through a link") {
  const Roots roots;
  roots.link(roots.at("root"), "alias");
  const RootedOpener beneath(*AllowedRoots::from({roots.at("alias")}));
  CHECK(beneath.open(*PosixPath::parse(roots.at("alias/a/b/file"), "test"), "open"));
}

TEST_CASE("nothing is followed when opening a single name") {
  const Roots roots;
  roots.link("a", "root/link");
  const auto root = roots.beneath().open(*PosixPath::parse(roots.at("root"), "test"), "open");
  REQUIRE(root);
  CHECK(open_unfollowed(*root, "a", O_PATH | O_DIRECTORY));
  CHECK_FALSE(open_unfollowed(*root, "link", O_PATH | O_DIRECTORY));
  CHECK_FALSE(open_unfollowed(*root, "..", O_PATH | O_DIRECTORY));
  CHECK_FALSE(open_unfollowed(*root, "/", O_PATH | O_DIRECTORY));
}

}  // namespace
}  // namespace longshore::support
