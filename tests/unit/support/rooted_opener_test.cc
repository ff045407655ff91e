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
            "\": a link on the way leads out of the allowed roots [\"" + roots.at("root") +
            "\", \"" + roots.at("other") +
            "\"]; links are followed only within settings.allowed_roots of the module");
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
  CHECK_THAT(opened.error().message(), Catch::Contains("the allowed root \"" + roots.at("root") +
                                                       "\" itself cannot be opened"));
}

TEST_CASE("a root may itself be reached through a link") {
  const Roots roots;
  roots.link(roots.at("root"), "alias");
  const RootedOpener beneath(*AllowedRoots::from({roots.at("alias")}));
  CHECK(beneath.open(*PosixPath::parse(roots.at("alias/a/b/file"), "test"), "open"));
}

TEST_CASE("where an absolute link leads out is told, and nothing there is opened") {
  const Roots roots;
  roots.link(roots.at("secret"), "root/out");
  roots.link("out/file", "root/via");
  roots.link(roots.at("root/via"), "root/a/far");
  roots.link("../secret", "root/relative");
  const auto destination = [&](const std::string& name) -> std::string {
    const auto found = roots.beneath().follow(*PosixPath::parse(roots.at(name), "test"), "open");
    if (!found) return status_code_name(found.error().code());
    return found->opened ? "opened" : found->outside;
  };
  CHECK(destination("root/a/b") == "opened");
  CHECK(destination("root") == "opened");
  CHECK(destination("root/out") == roots.at("secret"));
  CHECK(destination("root/via") == roots.at("secret/file"));
  CHECK(destination("root/a/far") == roots.at("secret/file"));
  CHECK(destination("root/via/none") == roots.at("secret/file/none"));
  CHECK(destination("root/relative") == "PERMISSION_DENIED");
  CHECK(destination("root/none") == "NOT_FOUND");
}

TEST_CASE("of what is missing the link that leads there is told, the last of several") {
  const Roots roots;
  roots.link("none/x", "root/dangling");
  roots.link(roots.at("root/dangling"), "root/a/chain");
  roots.link("b/none", "root/a/partly");
  roots.link("a", "root/alive");
  roots.link(roots.at("other/none"), "root/elsewhere");
  roots.link(roots.at("secret/none"), "root/out");
  const auto link_of = [&](const std::string& name) {
    return roots.beneath()
        .dangling_link(*PosixPath::parse(roots.at(name), "test"))
        .value_or("none");
  };
  const auto told = [&](const std::string& link, const std::string& text) {
    return "the link \"" + roots.at(link) + "\" leads to \"" + text + "\", where nothing is";
  };
  CHECK(link_of("root/dangling") == told("root/dangling", "none/x"));
  CHECK(link_of("root/dangling/y") == told("root/dangling", "none/x"));
  CHECK(link_of("root/a/chain") == told("root/dangling", "none/x"));
  CHECK(link_of("root/alive/partly/y") == told("root/a/partly", "b/none"));
  CHECK(link_of("root/elsewhere") == told("root/elsewhere", roots.at("other/none")));
  // Nobody's names read like a sentence of ours.
  roots.link("because it does not exist", "root/odd");
  CHECK(link_of("root/odd") == told("root/odd", "because\\040it\\040does\\040not\\040exist"));
  // Here no link is at fault, or nothing is missing, or it is none of the caller's business.
  for (const char* name : {"root/none", "root/alive/none", "root/alive", "root/a/b", "root/out"}) {
    CAPTURE(name);
    CHECK(link_of(name) == "none");
  }
  fs::remove_all(roots.at("other"));
  CHECK(link_of("root/elsewhere") == told("root/elsewhere", roots.at("other/none")));
  CHECK(link_of("other/x") == "none");
}

TEST_CASE("an error is explained by a dangling link only where something is missing") {
  const Roots roots;
  roots.link("none", "root/dangling");
  const RootedOpener beneath = roots.beneath();
  const auto text_of = [&](const std::string& name, std::errc error) {
    const PosixPath path = *PosixPath::parse(roots.at(name), "test");
    const Error plain = beneath.failure(path, "open", std::make_error_code(error));
    const Error told = beneath.explained(plain, path);
    CHECK(told.code() == plain.code());
    CHECK(told.system() == plain.system());
    return told.message();
  };
  const std::string missing = text_of("root/dangling", std::errc::no_such_file_or_directory);
  CHECK(missing == "cannot open \"" + roots.at("root/dangling") + "\": the link \"" +
                       roots.at("root/dangling") +
                       "\" leads to \"none\", where nothing is; remove that link, or make what it "
                       "leads to");
  CHECK_THAT(text_of("root/dangling", std::errc::not_a_directory), !Catch::Contains("leads to"));
  CHECK_THAT(text_of("root/none", std::errc::no_such_file_or_directory),
             Catch::EndsWith("No such file or directory"));
}

// Asked `most` times at the utmost, then cancelled.
struct CountedDeadline {
  size_t asked = 0;
  Deadline deadline(size_t most) {
    return {.cancelled = [this, most] { return ++asked > most; }};
  }
};

TEST_CASE("a walk ends with its deadline, between two names") {
  const Roots roots;
  roots.link(roots.at("root/a"), "root/absolute");
  const RootedOpener beneath = roots.beneath();
  const PosixPath path = *PosixPath::parse(roots.at("root/absolute/b/file"), "test");
  const PosixPath absent = *PosixPath::parse(roots.at("root/absolute/none"), "test");
  const auto code_of = [](const auto& result) {
    return result ? StatusCode::kOk : result.error().code();
  };
  CHECK(code_of(beneath.open(path, "open", CountedDeadline().deadline(100))) == StatusCode::kOk);
  for (size_t most = 0; most < 3; ++most) {
    CAPTURE(most);
    CountedDeadline counted;
    CHECK(code_of(beneath.open(path, "open", counted.deadline(most))) == StatusCode::kCancelled);
    CHECK(counted.asked == most + 2);  // and once for the words of the error
  }
  CountedDeadline counted;
  const Deadline over = counted.deadline(0);
  CHECK(code_of(beneath.entry(path, "open", over)) == StatusCode::kCancelled);
  CHECK(code_of(beneath.missing_place(absent, "open", over)) == StatusCode::kCancelled);
  roots.link("none", "root/dangling");
  const PosixPath dangling = *PosixPath::parse(roots.at("root/dangling"), "test");
  CHECK(beneath.dangling_link(dangling, {}));
  CHECK_FALSE(beneath.dangling_link(dangling, over));
  const Deadline late{.time = Deadline::Clock::time_point::min()};
  CHECK(code_of(beneath.open(path, "open", late)) == StatusCode::kDeadlineExceeded);
}

TEST_CASE("a walk follows so many names, and what goes up costs the way down again") {
  const Roots roots;
  constexpr size_t kDepth = 200;
  std::string deep = "root";
  for (size_t i = 0; i < kDepth; ++i) deep += "/x";
  fs::create_directories(roots.at(deep));
  test::write_file(roots.at(deep + "/file"), "inside");
  const auto up_and_down = [](size_t times) {
    std::string text;
    for (size_t i = 0; i < times; ++i) text += "../x/";
    return text + "file";
  };
  roots.link(up_and_down(10), deep + "/few");
  roots.link(up_and_down(RootedOpener::kMostSteps / kDepth), deep + "/many");
  // The kernel does not go through this one.
  roots.link(roots.at(deep), "root/absolute");
  CHECK(roots.open("root/absolute/few") == "inside");
  CHECK(roots.open("root/absolute/many") == "FAILED_PRECONDITION");
  // As many names in links to links.
  constexpr size_t kLinks = 38;
  static_assert(kLinks * (kDepth - 1) < RootedOpener::kMostSteps);
  for (size_t i = 0; i < kLinks; ++i) {
    const std::string next = i + 1 == kLinks ? "/file" : "/" + std::to_string(i + 1);
    roots.link(roots.at(deep + next), deep + "/" + std::to_string(i));
  }
  CHECK(roots.open("root/absolute/0") == "inside");
}

TEST_CASE("what is missing is told with the last directory that is there, after one walk") {
  const Roots roots;
  roots.link(roots.at("root/a"), "root/absolute");
  roots.link("b", "root/a/relative");
  roots.link("none/x", "root/dangling");
  CountedDeadline counted;
  const auto missing = [&](const std::string& name) -> std::string {
    const auto found = roots.beneath().missing_place(*PosixPath::parse(roots.at(name), "test"),
                                                     "look for", counted.deadline(1000));
    if (!found) return status_code_name(found.error().code());
    if (!*found) return "nothing";
    std::string names =
        fs::read_symlink("/proc/self/fd/" + std::to_string((*found)->directory.get()));
    for (const std::string& each : (*found)->names) names += "|" + each;
    return names;
  };
  CHECK(missing("root/absolute/x/y") == roots.at("root/a") + "|x|y");
  CHECK(missing("root/a/relative/x") == roots.at("root/a/b") + "|x");
  CHECK(missing("root/a/b/file/x") == "FAILED_PRECONDITION");
  for (const char* name : {"root", "root/a/b", "root/dangling", "root/dangling/y"}) {
    CAPTURE(name);
    CHECK(missing(name) == "nothing");
  }
  counted.asked = 0;
  std::string deep = "root/absolute";
  for (size_t i = 0; i < 100; ++i) deep += "/y";
  CHECK(missing(deep).starts_with(roots.at("root/a") + "|y|y"));
  CHECK(counted.asked == 3);  // "absolute", "a", and the first that is missing
  fs::remove_all(roots.at("root"));
  CHECK(missing("root/a") == "NOT_FOUND");
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
