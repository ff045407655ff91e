// What the filesystem group promises, the same on real directories and on the fake; on Windows on
// the backend above a filesystem in memory, too. See worlds.h.
#include <catch2/catch.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/node_path.h"
#include "tests/support/outcome.h"
#include "tests/unit/filesystem/worlds.h"

namespace longshore::filesystem {
namespace {

using test::foreign_path;
using test::node_path;
using test::outcome;

// "true", "false", or the code's name.
std::string answer(const Result<bool>& result) {
  return result ? (*result ? "true" : "false") : status_code_name(result.error().code());
}

TEMPLATE_LIST_TEST_CASE("PathExists looks at the name and not at what it leads to", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("directory"));
  world.put_file(world.at("file"));
  world.put_link("nowhere", world.at("dangling"));
  world.put_link(world.outside(), world.at("out"));
  CHECK(answer(service.path_exists(world.root())) == "true");
  CHECK(answer(service.path_exists(world.at("directory"))) == "true");
  CHECK(answer(service.path_exists(world.at("directory/"))) == "true");
  CHECK(answer(service.path_exists(world.at("file"))) == "true");
  CHECK(answer(service.path_exists(world.at("dangling"))) == "true");
  CHECK(answer(service.path_exists(world.at("out"))) == "true");
  CHECK(answer(service.path_exists(world.at("absent"))) == "false");
  CHECK(answer(service.path_exists(world.at("absent/deeper"))) == "false");
  CHECK(answer(service.path_exists(world.at("file/deeper"))) == "false");
  CHECK(answer(service.path_exists(world.at("dangling/deeper"))) == "false");
  CHECK(answer(service.path_exists(world.at("out/deeper"))) == "PERMISSION_DENIED");
}

TEMPLATE_LIST_TEST_CASE("Mkdir makes what is missing and accepts what is there", "", PlainWorlds) {
  TestType world;
  const auto service = world.service();
  CHECK(outcome(service.make_directory(world.at("a/b/c"))) == "OK");
  CHECK(world.inspect(world.at("a/b/c")) == EntryKind::kDirectory);
  CHECK(outcome(service.make_directory(world.at("a/b/c"))) == "OK");
  CHECK(outcome(service.make_directory(world.at("a/b/c/d"))) == "OK");
  CHECK(world.inspect(world.at("a/b/c/d")) == EntryKind::kDirectory);
  CHECK(outcome(service.make_directory(world.root())) == "OK");
}

TEMPLATE_LIST_TEST_CASE("Mkdir follows links that stay inside", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("real"));
  world.put_link("real", world.at("relative"));
  world.put_link(world.at("real"), world.at("absolute"));
  CHECK(outcome(service.make_directory(world.at("relative/x/y"))) == "OK");
  CHECK(outcome(service.make_directory(world.at("absolute/z"))) == "OK");
  CHECK(outcome(service.make_directory(world.at("absolute"))) == "OK");
  CHECK(world.inspect(world.at("real/x/y")) == EntryKind::kDirectory);
  CHECK(world.inspect(world.at("real/z")) == EntryKind::kDirectory);
}

TEMPLATE_LIST_TEST_CASE("Mkdir refuses where something else stands in the way", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_file(world.at("file"));
  world.put_link("nowhere", world.at("dangling"));
  world.put_link("file", world.at("to-file"));
  world.put_link(world.outside(), world.at("out"));
  CHECK(outcome(service.make_directory(world.at("file"))) == "ALREADY_EXISTS");
  CHECK(outcome(service.make_directory(world.at("to-file"))) == "ALREADY_EXISTS");
  CHECK(outcome(service.make_directory(world.at("dangling"))) == "ALREADY_EXISTS");
  CHECK(outcome(service.make_directory(world.at("dangling/x"))) == "ALREADY_EXISTS");
  CHECK(outcome(service.make_directory(world.at("file/x"))) == "FAILED_PRECONDITION");
  CHECK(outcome(service.make_directory(world.at("out/x/y"))) == "PERMISSION_DENIED");
  CHECK(world.inspect(node_path(world.outside() + "/x")) == EntryKind::kAbsent);
}

TEMPLATE_LIST_TEST_CASE("Rmdir without force removes one entry", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("full/inner"));
  world.put_directory(world.at("empty"));
  world.put_file(world.at("file"));
  world.put_link("full", world.at("link"));
  world.put_link(world.outside(), world.at("out"));
  CHECK(outcome(service.remove_directory(world.at("empty"), false, {})) == "OK");
  CHECK(outcome(service.remove_directory(world.at("file"), false, {})) == "OK");
  CHECK(outcome(service.remove_directory(world.at("link/inner"), false, {})) == "OK");
  CHECK(world.inspect(world.at("full/inner")) == EntryKind::kAbsent);
  world.put_directory(world.at("full/inner"));
  CHECK(outcome(service.remove_directory(world.at("link"), false, {})) == "OK");
  CHECK(outcome(service.remove_directory(world.at("out"), false, {})) == "OK");
  CHECK(world.inspect(world.at("full/inner")) == EntryKind::kDirectory);
  for (const char* name : {"empty", "file", "link", "out"}) {
    CAPTURE(name);
    CHECK(world.inspect(world.at(name)) == EntryKind::kAbsent);
  }
  const Result<void> full = service.remove_directory(world.at("full"), false, {});
  CHECK(outcome(full) == "FAILED_PRECONDITION");
  CHECK(outcome(service.remove_directory(world.at("absent"), false, {})) == "NOT_FOUND");
  CHECK(outcome(service.remove_directory(world.at("absent/x"), false, {})) == "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("Rmdir with force removes all, and nothing behind links", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("kept/inner"));
  world.put_directory(world.at("top/a/b"));
  world.put_file(world.at("top/a/file"));
  world.put_link("../kept", world.at("top/relative"));
  world.put_link(world.outside(), world.at("top/a/out"));
  world.put_link("nowhere", world.at("top/dangling"));
  world.put_link("top", world.at("link"));
  CHECK(outcome(service.remove_directory(world.at("link"), true, {})) == "OK");
  CHECK(world.inspect(world.at("top/a/b")) == EntryKind::kDirectory);
  CHECK(outcome(service.remove_directory(world.at("top"), true, {})) == "OK");
  CHECK(world.inspect(world.at("top")) == EntryKind::kAbsent);
  CHECK(world.inspect(world.at("kept/inner")) == EntryKind::kDirectory);
  CHECK(outcome(service.remove_directory(world.at("top"), true, {})) == "OK");
  CHECK(outcome(service.remove_directory(world.at("absent/x/y"), true, {})) == "OK");
  world.put_file(world.at("file"));
  CHECK(outcome(service.remove_directory(world.at("file"), true, {})) == "OK");
  CHECK(world.inspect(world.at("file")) == EntryKind::kAbsent);
}

TEMPLATE_LIST_TEST_CASE("RmdirContents keeps the directory", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("kept"));
  world.put_file(world.at("kept/file"));
  world.put_directory(world.at("top/a/b"));
  world.put_link("../kept", world.at("top/link"));
  CHECK(outcome(service.remove_contents(world.at("top"), {})) == "OK");
  CHECK(world.inspect(world.at("top")) == EntryKind::kDirectory);
  CHECK(world.inspect(world.at("top/a")) == EntryKind::kAbsent);
  CHECK(world.inspect(world.at("top/link")) == EntryKind::kAbsent);
  CHECK(world.inspect(world.at("kept/file")) == EntryKind::kFile);
  CHECK(outcome(service.remove_contents(world.at("top"), {})) == "OK");
}

TEMPLATE_LIST_TEST_CASE("RmdirContents takes a link to a directory for the directory", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("top/a"));
  world.put_link(world.at("top"), world.at("link"));
  world.put_link(world.outside(), world.at("out"));
  CHECK(outcome(service.remove_contents(world.at("link"), {})) == "OK");
  CHECK(world.inspect(world.at("link")) == EntryKind::kLink);
  CHECK(world.inspect(world.at("top")) == EntryKind::kDirectory);
  CHECK(world.inspect(world.at("top/a")) == EntryKind::kAbsent);
  CHECK(outcome(service.remove_contents(world.at("out"), {})) == "PERMISSION_DENIED");
}

TEMPLATE_LIST_TEST_CASE("RmdirContents refuses what is no directory", "", PlainWorlds) {
  TestType world;
  const auto service = world.service();
  world.put_file(world.at("file"));
  CHECK(outcome(service.remove_contents(world.at("file"), {})) == "FAILED_PRECONDITION");
  CHECK(outcome(service.remove_contents(world.at("absent"), {})) == "NOT_FOUND");
  CHECK(world.inspect(world.at("file")) == EntryKind::kFile);
}

TEMPLATE_LIST_TEST_CASE("an allowed root is emptied on demand and never removed", "", PlainWorlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("a"));
  for (const bool force : {false, true}) {
    const Result<void> removed = service.remove_directory(world.root(), force, {});
    REQUIRE_FALSE(removed);
    CHECK(removed.error().code() == StatusCode::kPermissionDenied);
    CHECK_THAT(removed.error().message(), Catch::Contains("only what lies below"));
  }
  CHECK(world.inspect(world.at("a")) == EntryKind::kDirectory);
  CHECK(outcome(service.remove_contents(world.root(), {})) == "OK");
  CHECK(world.inspect(world.root()) == EntryKind::kDirectory);
  CHECK(world.inspect(world.at("a")) == EntryKind::kAbsent);
}

TEMPLATE_LIST_TEST_CASE("a directory that holds another allowed root is not removed", "",
                        PlainWorlds) {
  TestType world;
  world.put_directory(world.at("a/b/inner-root"));
  const FilesystemService service(
      *support::AllowedRoots::from({world.root(), world.at("a/b/inner-root")}), world.backend());
  CHECK(outcome(service.remove_directory(world.at("a"), true, {})) == "PERMISSION_DENIED");
  CHECK(outcome(service.remove_contents(world.at("a"), {})) == "PERMISSION_DENIED");
  CHECK(outcome(service.remove_contents(world.root(), {})) == "PERMISSION_DENIED");
  CHECK(outcome(service.remove_contents(world.at("a/b/inner-root"), {})) == "OK");
  CHECK(world.inspect(world.at("a/b/inner-root")) == EntryKind::kDirectory);
}

TEMPLATE_LIST_TEST_CASE("CreateSymlink makes a link whose text is the source", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("source"));
  CHECK(outcome(service.create_link(world.at("source//"), world.at("target"),
                                    SameLink::kIsError)) == "OK");
  CHECK(world.inspect(world.at("target")) == EntryKind::kLink);
  CHECK(*world.backend().read_link(*support::Path::parse(world.at("target"), "test"), {}) ==
        world.at("source"));
  CHECK(answer(service.path_exists(world.at("target"))) == "true");
  CHECK(outcome(service.make_directory(world.at("target/inside"))) == "OK");
  CHECK(world.inspect(world.at("source/inside")) == EntryKind::kDirectory);
  CHECK(outcome(service.create_link(world.at("not-yet"), world.at("early"), SameLink::kIsError)) ==
        "OK");
  CHECK(outcome(service.create_link(world.at("x"), world.at("none/link"), SameLink::kIsError)) ==
        "NOT_FOUND");
}

TEMPLATE_LIST_TEST_CASE("a link made again is an error, except the same one where allowed", "",
                        Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("directory"));
  world.put_file(world.at("file"));
  const auto link = [&](const char* source, const char* target, SameLink same_link) {
    return outcome(service.create_link(world.at(source), world.at(target), same_link));
  };
  REQUIRE(link("a", "link", SameLink::kIsError) == "OK");
  CHECK(link("a", "link", SameLink::kIsError) == "ALREADY_EXISTS");
  CHECK(link("a", "link", SameLink::kIsSuccess) == "OK");
  CHECK(link("a/", "link/", SameLink::kIsSuccess) == "OK");
  CHECK(link("b", "link", SameLink::kIsSuccess) == "ALREADY_EXISTS");
  CHECK(link("directory", "directory", SameLink::kIsSuccess) == "ALREADY_EXISTS");
  CHECK(link("file", "file", SameLink::kIsSuccess) == "ALREADY_EXISTS");
  CHECK(outcome(service.create_link(world.at("a"), world.root(), SameLink::kIsSuccess)) ==
        "ALREADY_EXISTS");
}

TEMPLATE_LIST_TEST_CASE("CreateSymlink checks the target first and then the source", "", Worlds) {
  TestType world;
  const auto service = world.service();
  const auto error = [&](const std::string& source, const std::string& target) {
    return service.create_link(source, target, SameLink::kIsError).error();
  };
  const std::string etc = node_path("/etc/target");
  CHECK(error(foreign_path(), etc).object() == etc);
  CHECK(error(foreign_path(), etc).code() == StatusCode::kPermissionDenied);
  CHECK(error(foreign_path(), world.at("t")).code() == StatusCode::kInvalidArgument);
  CHECK(error(world.outside(), world.at("t")).code() == StatusCode::kPermissionDenied);
  CHECK(error(world.outside(), world.at("t")).object() == world.outside());
  CHECK(world.inspect(world.at("t")) == EntryKind::kAbsent);
}

TEMPLATE_LIST_TEST_CASE("IsSymlink is true for a live link only", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("a/target"));
  world.put_file(world.at("file"));
  world.put_link("target", world.at("a/relative"));
  world.put_link("../file", world.at("a/to-file"));
  world.put_link(world.at("a/target"), world.at("absolute"));
  world.put_link("absolute", world.at("chain"));
  world.put_link("nowhere", world.at("dangling"));
  world.put_link("dangling", world.at("to-dangling"));
  world.put_link("file/x", world.at("through-file"));
  world.put_link(world.outside(), world.at("out"));
  const auto is_link = [&](const char* name) {
    return answer(service.is_link_or_mount_point(world.at(name)));
  };
  for (const char* name : {"a/relative", "a/to-file", "absolute", "chain"}) {
    CAPTURE(name);
    CHECK(is_link(name) == "true");
  }
  for (const char* name : {"a/target", "a", "file", "dangling", "to-dangling", "through-file"}) {
    CAPTURE(name);
    CHECK(is_link(name) == "false");
  }
  CHECK(is_link("absent") == "NOT_FOUND");
  CHECK(is_link("absent/x") == "NOT_FOUND");
  CHECK(is_link("out") == "PERMISSION_DENIED");
  CHECK(is_link("out/x") == "PERMISSION_DENIED");
}

TEMPLATE_LIST_TEST_CASE("IsSymlink follows links up to a limit, and a circle leads nowhere", "",
                        Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("0"));
  const int most = FilesystemBackendFake::kMaxLinks;
  for (int link = 1; link <= most + 1; ++link) {
    world.put_link(world.at(std::to_string(link - 1)), world.at(std::to_string(link)));
  }
  CHECK(answer(service.is_link_or_mount_point(world.at(std::to_string(most)))) == "true");
  CHECK(answer(service.is_link_or_mount_point(world.at(std::to_string(most + 1)))) == "false");
  world.put_link("round", world.at("round"));
  world.put_link(world.at("b"), world.at("a"));
  world.put_link(world.at("a"), world.at("b"));
  CHECK(answer(service.is_link_or_mount_point(world.at("round"))) == "false");
  CHECK(answer(service.is_link_or_mount_point(world.at("a"))) == "false");
}

TEMPLATE_LIST_TEST_CASE("what fails on a dangling link says so, and not that nothing is there", "",
                        Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_link(world.at("nowhere"), world.at("dangling"));
  world.put_directory(world.at("directory"));
  world.put_link(world.at("directory"), world.at("alive"));
  const std::string told = "the link \"" + world.at("dangling") + "\" leads to \"" +
                           world.at("nowhere") + "\", where nothing is";
  const auto texts = [&](const std::string& link) {
    std::vector<std::string> all;
    const auto keep = [&](const auto& result) {
      REQUIRE_FALSE(result);
      all.push_back(result.error().message());
    };
    const std::string below = node_path(link + "/x");
    keep(service.make_directory(below));
    keep(service.remove_directory(below, false, {}));
    keep(service.remove_contents(below, {}));
    keep(service.create_link(world.at("s"), node_path(below + "/y"), SameLink::kIsError));
    keep(service.is_link_or_mount_point(below));
    keep(service.create_link(world.at("s"), link, SameLink::kIsError));
    return all;
  };
  std::vector<std::string> all = texts(world.at("dangling"));
  all.push_back(service.make_directory(world.at("dangling")).error().message());
  all.push_back(service.remove_contents(world.at("dangling"), {}).error().message());
  for (const std::string& text : all) {
    CHECK_THAT(text, Catch::Contains(told));
    // By this a driver knows what certainly is not there.
    CHECK_THAT(text, !Catch::Contains("because it does not exist"));
  }
  // A link that leads somewhere has no part in what is missing behind it.
  world.put_file(world.at("directory/x"));
  for (const std::string& text : {
           service.remove_directory(world.at("alive/none"), false, {}).error().message(),
           service.remove_contents(world.at("alive/none/x"), {}).error().message(),
           service.create_link(world.at("s"), world.at("alive"), SameLink::kIsError)
               .error()
               .message(),
           service.is_link_or_mount_point(world.at("alive/none")).error().message(),
           service.make_directory(world.at("alive/x")).error().message(),
       }) {
    CHECK_THAT(text, !Catch::Contains("leads to"));
  }
}

TEMPLATE_LIST_TEST_CASE("IsSymlink sees a target go", "", Worlds) {
  TestType world;
  const auto service = world.service();
  world.put_directory(world.at("target"));
  REQUIRE(service.create_link(world.at("target"), world.at("link"), SameLink::kIsError));
  CHECK(answer(service.is_link_or_mount_point(world.at("link"))) == "true");
  REQUIRE(service.remove_directory(world.at("target"), true, {}));
  CHECK(answer(service.is_link_or_mount_point(world.at("link"))) == "false");
}

TEMPLATE_LIST_TEST_CASE("every method refuses a bad path before it touches anything", "",
                        PlainWorlds) {
  TestType world;
  const auto service = world.service();
  const auto [path, code] = GENERATE(table<std::string, std::string>({
      {"", "INVALID_ARGUMENT"},
      {"relative", "INVALID_ARGUMENT"},
      {foreign_path(), "INVALID_ARGUMENT"},
      {node_path(std::string("/var/lib/kubelet/a\0b", 20)), "INVALID_ARGUMENT"},
      {node_path("/var/lib/kubelet/../kubelet/x"), "INVALID_ARGUMENT"},
      {node_path("/var/lib/kubelet/" + std::string(5000, 'x')), "INVALID_ARGUMENT"},
      {node_path("/"), "PERMISSION_DENIED"},
      {node_path("/var/lib/kubeletX/y"), "PERMISSION_DENIED"},
      {node_path("/etc/passwd"), "PERMISSION_DENIED"},
  }));
  CAPTURE(path);
  CHECK(outcome(service.path_exists(path)) == code);
  CHECK(outcome(service.make_directory(path)) == code);
  CHECK(outcome(service.remove_directory(path, false, {})) == code);
  CHECK(outcome(service.remove_directory(path, true, {})) == code);
  CHECK(outcome(service.remove_contents(path, {})) == code);
  CHECK(outcome(service.create_link(path, world.at("t"), SameLink::kIsError)) == code);
  CHECK(outcome(service.create_link(world.at("s"), path, SameLink::kIsError)) == code);
  CHECK(outcome(service.is_link_or_mount_point(path)) == code);
  CHECK(world.inspect(world.at("t")) == EntryKind::kAbsent);
}

TEMPLATE_LIST_TEST_CASE("a recursive removal ends at its deadline and when cancelled", "",
                        PlainWorlds) {
  TestType world;
  const auto service = world.service();
  for (int branch = 0; branch < 100; ++branch) {
    world.put_directory(world.at("top/" + std::to_string(branch) + "/a"));
  }
  Deadline late;
  late.time = Deadline::Clock::now();
  CHECK(outcome(service.remove_directory(world.at("top"), true, late)) == "DEADLINE_EXCEEDED");
  Deadline cancelled;
  cancelled.cancelled = [] { return true; };
  CHECK(outcome(service.remove_contents(world.at("top"), cancelled)) == "CANCELLED");
  CHECK(world.inspect(world.at("top")) == EntryKind::kDirectory);
  CHECK(outcome(service.remove_directory(world.at("top"), true, {})) == "OK");
}

TEMPLATE_LIST_TEST_CASE("the life of a staged volume as csi-proxy's tests have it", "", Worlds) {
  TestType world;
  const auto service = world.service();
  const std::string stage = world.at("plugins/testplugin.csi.io/volume1/mount");
  const std::string pod = world.at("pods/a1/volumes/x");
  const std::string link = node_path(pod + "/rootvol");
  CHECK(answer(service.path_exists(stage)) == "false");
  REQUIRE(service.make_directory(stage));
  REQUIRE(service.make_directory(pod));
  REQUIRE(service.create_link(stage, link, SameLink::kIsError));
  CHECK(answer(service.path_exists(link)) == "true");
  CHECK(answer(service.is_link_or_mount_point(link)) == "true");
  REQUIRE(service.remove_directory(pod, true, {}));
  CHECK(answer(service.path_exists(pod)) == "false");
  CHECK(answer(service.path_exists(stage)) == "true");
  REQUIRE(service.remove_directory(stage, true, {}));
  CHECK(answer(service.path_exists(stage)) == "false");
}

}  // namespace
}  // namespace longshore::filesystem
