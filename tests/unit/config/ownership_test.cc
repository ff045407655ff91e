#include "config/ownership.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace longshore::config {

namespace fs = std::filesystem;
using longshore::test::TemporaryDirectory;
using longshore::test::write_file;

namespace {

constexpr unsigned kStranger = 54321;

// Below /tmp, which is open to all but sticky and root's.
class Tree {
 public:
  Tree() {
    fs::create_directories(directory_.path() / "outer" / "inner");
    write_file(file(), "x");
    mode("outer", 0755);
    mode("outer/inner", 0755);
    mode("outer/inner/file", 0644);
  }

  std::string at(const std::string& name) const { return directory_ / name; }
  std::string file() const { return at("outer/inner/file"); }
  void mode(const std::string& name, unsigned bits) const {
    fs::permissions(at(name), fs::perms(bits));
  }
  std::string refusal(const std::string& name) const {
    const auto trusted = check_ownership(at(name), {::getuid()});
    return trusted.ok() ? "trusted" : trusted.error().message();
  }

 private:
  const TemporaryDirectory directory_;
};

bool is_root() { return ::getuid() == 0; }

}  // namespace

TEST_CASE("a file of a trusted owner in closed folders is trusted") {
  const Tree tree;
  CHECK(tree.refusal("outer/inner/file") == "trusted");
  CHECK(tree.refusal("outer/inner/../inner/./file") == "trusted");
  CHECK(tree.refusal("outer") == "trusted");
}

TEST_CASE("what group or others may write to is not trusted, and is named") {
  const Tree tree;
  const auto* name = GENERATE("outer/inner/file", "outer/inner", "outer");
  const auto bits = GENERATE(0775U, 0757U, 0777U);
  tree.mode(name, bits);
  CHECK(tree.refusal("outer/inner/file") ==
        "cannot trust \"" + tree.at(name) +
            "\": its group or others may write to it; chmod go-w closes it");
}

TEST_CASE("a link is followed and its target is looked at") {
  const Tree tree;
  fs::create_directory(tree.at("open"));
  write_file(tree.at("open/file"), "x");
  tree.mode("open", 0777);
  tree.mode("open/file", 0644);
  fs::create_symlink("../../open/file", tree.at("outer/inner/link"));
  CHECK(tree.refusal("outer/inner/link").find(tree.at("open") + '"') != std::string::npos);
  tree.mode("open", 0755);
  CHECK(tree.refusal("outer/inner/link") == "trusted");
}

TEST_CASE("a link that goes through an open folder is not trusted, wherever it ends") {
  const Tree tree;
  fs::create_directory(tree.at("open"));
  tree.mode("open", 0777);
  fs::create_symlink(tree.file(), tree.at("open/second"));
  fs::create_symlink(tree.at("open/second"), tree.at("outer/first"));
  CHECK(tree.refusal("outer/first").find(tree.at("open") + '"') != std::string::npos);
}

TEST_CASE("links that lead in a circle or nowhere are errors") {
  const Tree tree;
  fs::create_symlink("b", tree.at("outer/a"));
  fs::create_symlink("a", tree.at("outer/b"));
  CHECK(tree.refusal("outer/a").find("cannot follow the link") == 0);
  fs::create_symlink("nothing", tree.at("outer/c"));
  CHECK(tree.refusal("outer/c").find("cannot look at") == 0);
}

TEST_CASE("a missing file is reported as missing") {
  const Tree tree;
  const auto trusted = check_ownership(tree.at("outer/none"), {::getuid()});
  REQUIRE_FALSE(trusted.ok());
  CHECK(trusted.error().code() == StatusCode::kNotFound);
}

TEST_CASE("only root and the named owners are trusted") {
  const Tree tree;
  if (!is_root()) {
    const auto trusted = check_ownership(tree.file(), {});
    REQUIRE_FALSE(trusted.ok());
    CHECK(trusted.error().code() == StatusCode::kPermissionDenied);
    return;
  }
  CHECK(check_ownership(tree.file(), {}).ok());
  const auto* name = GENERATE("outer/inner/file", "outer/inner", "outer");
  REQUIRE(::chown(tree.at(name).c_str(), kStranger, static_cast<gid_t>(-1)) == 0);
  CHECK(tree.refusal("outer/inner/file") == "cannot trust \"" + tree.at(name) +
                                                "\": it belongs to user 54321; give it to root; "
                                                "trusted_owners may name the owners of modules");
  CHECK(check_ownership(tree.file(), {kStranger}).ok());
}

TEST_CASE("a sticky folder may be open only when it is root's") {
  const Tree tree;
  tree.mode("outer", 01777);
  if (is_root()) {
    CHECK(tree.refusal("outer/inner/file") == "trusted");
    REQUIRE(::chown(tree.at("outer").c_str(), kStranger, static_cast<gid_t>(-1)) == 0);
    CHECK_FALSE(check_ownership(tree.file(), {kStranger}).ok());
  } else {
    CHECK(tree.refusal("outer/inner/file").find("may write to it") != std::string::npos);
  }
}

}  // namespace longshore::config
