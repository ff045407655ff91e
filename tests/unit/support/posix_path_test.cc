#include "support/posix_path.h"

#include <catch2/catch.hpp>

namespace longshore::support {
namespace {

std::string parsed(std::string_view text) {
  const auto path = PosixPath::parse(text, "test");
  return path ? path->text() : path.error().message();
}

TEST_CASE("an absolute path is taken in its shortest spelling") {
  CHECK(parsed("/var/lib/kubelet") == "/var/lib/kubelet");
  CHECK(parsed("//var///lib/./kubelet//") == "/var/lib/kubelet");
  CHECK(parsed("/.") == "/");
  CHECK(parsed("/") == "/");
}

TEST_CASE("names that only resemble forbidden ones are taken") {
  CHECK(parsed("/a..b/..c/d../...") == "/a..b/..c/d../...");
  CHECK(parsed("/a b/\xC3\xA4\t*?|:\"<>") == "/a b/\xC3\xA4\t*?|:\"<>");
  CHECK(parsed("/pod/C:") == "/pod/C:");
}

TEST_CASE("a path that is no absolute POSIX path is refused with the reason") {
  struct Case {
    std::string_view path;
    const char* reason;
  };
  using namespace std::string_view_literals;
  const auto [path, reason] = GENERATE(values<Case>({
      {"", "the path is empty, so it is not an absolute path"},
      {"var/lib", "is not an absolute path"},
      {"./var", "is not an absolute path"},
      {"..", "is not an absolute path"},
      {"/a/../b", "invalid characters: the name \"..\""},
      {"/a/..", "invalid characters: the name \"..\""},
      {"/..", "invalid characters: the name \"..\""},
      {"/a\0b"sv, "invalid characters: a NUL byte"},
      {"\0"sv, "invalid characters: a NUL byte"},
      {"C:\\var\\lib\\kubelet", "paths are POSIX paths here"},
      {"c:/var/lib/kubelet", "paths are POSIX paths here"},
      {"\\\\server\\share", "paths are POSIX paths here"},
      {"\\var", "paths are POSIX paths here"},
      {"/var/lib/kubelet\\pods", "paths are POSIX paths here"},
  }));
  CAPTURE(path);
  const auto result = PosixPath::parse(path, "look for");
  REQUIRE_FALSE(result);
  CHECK(result.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(result.error().message(), Catch::StartsWith("cannot look for"));
  CHECK_THAT(result.error().message(), Catch::Contains(reason));
}

TEST_CASE("lengths up to the system's limits are taken and longer ones are refused") {
  const std::string name(255, 'n');
  CHECK(parsed("/" + name) == "/" + name);
  CHECK_THAT(parsed("/" + name + "n"), Catch::Contains("exceeds maximum characters: 255"));

  std::string path;
  while (path.size() < 4095) path += "/x";
  path.resize(4095);
  CHECK(PosixPath::parse(path, "test"));
  CHECK_THAT(parsed(path + "y"), Catch::Contains("exceeds maximum characters: 4095"));
}

TEST_CASE("a refused path of megabytes is not repeated in the error") {
  CHECK(parsed(std::string(5u << 20, '/')).size() < 1000);
}

TEST_CASE("within goes by names and not by letters") {
  const auto path = *PosixPath::parse("/var/lib/kubelet", "test");
  const auto is_within = [](std::string_view inner, const PosixPath& outer) {
    return PosixPath::parse(inner, "test")->is_within(outer);
  };
  CHECK(is_within("/var/lib/kubelet", path));
  CHECK(is_within("/var/lib/kubelet/pods/x", path));
  CHECK_FALSE(is_within("/var/lib/kubeletX", path));
  CHECK_FALSE(is_within("/var/lib", path));
  CHECK_FALSE(is_within("/VAR/LIB/KUBELET", path));
  CHECK(is_within("/anything", *PosixPath::parse("/", "test")));
  CHECK(is_within("/", *PosixPath::parse("/", "test")));
}

TEST_CASE("within is the same of texts that nobody has parsed") {
  for (const std::string_view outer : {"/a", "/"}) {
    CHECK(is_within("/a", outer));
    CHECK(is_within("/a/b", outer));
  }
  CHECK(is_within("/a b/\\c", "/a b"));  // what a request may not have a mount may
  CHECK_FALSE(is_within("/ab", "/a"));
  CHECK_FALSE(is_within("/", "/a"));
}

TEST_CASE("a path is taken apart") {
  const auto path = *PosixPath::parse("/a/b/c", "test");
  CHECK(path.name() == "c");
  CHECK(path.parent().text() == "/a/b");
  CHECK(path.below(path.parent()) == "c");
  CHECK(path.below(path.parent().parent()) == "b/c");
  CHECK(path.below(path).empty());
  const auto root = path.parent().parent().parent();
  CHECK(root.text() == "/");
  CHECK(root.name().empty());
  CHECK(root.parent() == root);
  CHECK(path.below(root) == "a/b/c");
}

}  // namespace
}  // namespace longshore::support
