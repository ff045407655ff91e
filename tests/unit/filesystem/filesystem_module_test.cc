// The module as its file: description, settings, and each version's methods called with bytes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "longshore/module/descriptors.pb.h"
#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"
#include "tests/support/same_on_wire.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_writer.h"

namespace longshore::filesystem {
namespace {

namespace fs = std::filesystem;
using test::LoadedModule;
using test::WireWriter;

// What the wire says of one version: csi-proxy's names and field numbers.
struct Version {
  std::string name;
  std::string link, link_question;  // the methods that were renamed
  uint32_t force, exists, is_link;  // the numbers that moved
};
const Version kVersions[] = {
    {"v1alpha1", "LinkPath", "IsMountPoint", 3, 2, 2},
    {"v1beta1", "LinkPath", "IsMountPoint", 3, 2, 2},
    {"v1beta2", "CreateSymlink", "IsSymlink", 2, 1, 1},
    {"v1", "CreateSymlink", "IsSymlink", 2, 1, 1},
    {"v2alpha1", "CreateSymlink", "IsSymlink", 2, 1, 1},
};

// A started module with an allowed root of its own.
class Served {
 public:
  Served() {
    auto settings = module_.default_settings();
    auto* roots = (*settings.mutable_values())["allowed_roots"].mutable_strings_value();
    roots->clear_values();
    roots->add_values(directory_.path());
    REQUIRE(module_.start(settings));
  }
  ~Served() { CHECK(module_.stop()); }

  std::string at(const std::string& name) const { return directory_ / name; }

  // The answer's bytes, or the code's name.
  std::string call(const std::string& method, const std::string& request) {
    last_ = module_.call(method, request);
    return last_ ? *last_ : status_code_name(last_.error().code());
  }
  std::string last_text() const { return last_.error().message(); }
  LoadedModule& module() { return module_; }

 private:
  test::TemporaryDirectory directory_;
  LoadedModule module_{test::built_module("filesystem")};
  Result<std::string> last_ = std::string();
};

TEST_CASE("each version takes a tree through its life") {
  Served served;
  for (const Version& version : kVersions) {
    CAPTURE(version.name);
    const std::string service = version.name + ".Filesystem/";
    const auto path = [&](const std::string& name) {
      return WireWriter().text(1, served.at(name));
    };
    const std::string yes = WireWriter().number(version.exists, 1);
    const std::string is_link = WireWriter().number(version.is_link, 1);
    const std::string link = WireWriter().text(1, served.at("stage/a")).text(2, served.at("link"));

    CHECK(served.call(service + "PathExists", path("stage/a")) == "");
    CHECK(served.call(service + "Mkdir", path("stage/a")) == "");
    CHECK(served.call(service + "Mkdir", path("stage/a")) == "");
    CHECK(served.call(service + "PathExists", path("stage/a")) == yes);
    CHECK(served.call(service + version.link_question, path("stage/a")) == "");
    CHECK(served.call(service + version.link, link) == "");
    CHECK(served.call(service + version.link, link) ==
          (version.name == "v2alpha1" ? "" : "ALREADY_EXISTS"));
    CHECK(served.call(service + version.link_question, path("link")) == is_link);
    CHECK(served.call(service + "Rmdir", path("stage")) == "FAILED_PRECONDITION");
    CHECK(served.call(service + "Rmdir", path("stage").number(version.force, 1)) == "");
    CHECK(served.call(service + version.link_question, path("link")) == "");
    CHECK(served.call(service + "PathExists", path("link")) == yes);
    CHECK(served.call(service + "Rmdir", path("link")) == "");
    CHECK(served.call(service + "PathExists", path("link")) == "");
    CHECK(served.call(service + version.link_question, path("link")) == "NOT_FOUND");
    CHECK(served.call(service + "Rmdir", path("link")) == "NOT_FOUND");
    CHECK(served.call(service + "Rmdir", path("link").number(version.force, 1)) == "");
    CHECK(served.call(service + "PathExists", WireWriter().text(1, "/etc")) == "PERMISSION_DENIED");
  }
}

TEST_CASE("RmdirContents is v2alpha1's alone") {
  Served served;
  fs::create_directories(served.at("top/a/b"));
  const std::string request = WireWriter().text(1, served.at("top"));
  for (const Version& version : kVersions) {
    if (version.name == "v2alpha1") continue;
    CAPTURE(version.name);
    CHECK(served.call(version.name + ".Filesystem/RmdirContents", request) == "UNIMPLEMENTED");
  }
  CHECK(served.call("v2alpha1.Filesystem/RmdirContents", request) == "");
  CHECK(fs::is_empty(served.at("top")));
}

TEST_CASE("the old versions take any path context and leave the error field empty") {
  Served served;
  for (const char* version : {"v1alpha1", "v1beta1"}) {
    for (const uint64_t context : {0u, 1u, 77u}) {
      const std::string request = WireWriter().text(1, served.at("directory")).number(2, context);
      CHECK(served.call(version + std::string(".Filesystem/Mkdir"), request) == "");
      CHECK(served.call(version + std::string(".Filesystem/PathExists"), request) ==
            WireWriter().number(2, 1).bytes());
    }
  }
}

TEST_CASE("a request that is no message is refused and an empty one is an empty path") {
  Served served;
  CHECK(served.call("v1.Filesystem/PathExists", "\x0a\xff") == "INVALID_ARGUMENT");
  CHECK(served.call("v1.Filesystem/PathExists", "\x0a\x02\xff\xfe") == "INVALID_ARGUMENT");
  CHECK(served.call("v1.Filesystem/PathExists", "") == "INVALID_ARGUMENT");
  CHECK_THAT(served.last_text(), Catch::Contains("the path is empty"));
  CHECK(served.call("v1.Filesystem/Rmdir", "") == "INVALID_ARGUMENT");
  CHECK(served.call("v1.Filesystem/CreateSymlink", "") == "INVALID_ARGUMENT");
  CHECK(served.call("v1.Filesystem/Unknown", "") == "UNIMPLEMENTED");
}

TEST_CASE("a deadline that is over ends a recursive removal") {
  Served served;
  for (int branch = 0; branch < 100; ++branch) {
    fs::create_directories(served.at("top/" + std::to_string(branch) + "/a"));
  }
  const std::string request = WireWriter().text(1, served.at("top")).number(2, 1);
  const auto removed =
      served.module().call("v1.Filesystem/Rmdir", request, std::chrono::nanoseconds(0));
  REQUIRE_FALSE(removed);
  CHECK((removed.error().code() == StatusCode::kDeadlineExceeded ||
         removed.error().code() == StatusCode::kCancelled));
  CHECK(fs::exists(served.at("top")));
}

TEST_CASE("the module does not start without a usable root") {
  LoadedModule module(test::built_module("filesystem"));
  auto settings = module.default_settings();
  auto* roots = (*settings.mutable_values())["allowed_roots"].mutable_strings_value();
  roots->clear_values();
  SECTION("none") {
    const Result<void> started = module.start(settings);
    REQUIRE_FALSE(started);
    CHECK_THAT(started.error().message(), Catch::Contains("names no directory"));
  }
  SECTION("a Windows path") {
    roots->add_values("C:\\var\\lib\\kubelet");
    const Result<void> started = module.start(settings);
    REQUIRE_FALSE(started);
    CHECK(started.error().code() == StatusCode::kInvalidArgument);
  }
}

TEST_CASE("the description names what csi-proxy's clients look for") {
  const LoadedModule module(test::built_module("filesystem"));
  const auto& description = module.description();
  CHECK(module.entry().name == std::string("longshore-filesystem"));
  REQUIRE(description.services_size() == 5);
  REQUIRE(description.csi_proxy_endpoints_size() == 5);
  for (int index = 0; index < 5; ++index) {
    const std::string& version = kVersions[index].name;
    CHECK(description.services(index) == version + ".Filesystem");
    CHECK(description.csi_proxy_endpoints(index).group() == "filesystem");
    CHECK(description.csi_proxy_endpoints(index).version() == version);
    CHECK(description.csi_proxy_endpoints(index).service() == version + ".Filesystem");
  }
  const auto settings = module.default_settings();
  CHECK(settings.values().at("allowed_roots").strings_value().values(0) == "/var/lib/kubelet");
}

TEST_CASE("the descriptors have every method with its messages and annotations") {
  const LoadedModule module(test::built_module("filesystem"));
  module::descriptors::FileSet files;
  REQUIRE(files.ParseFromString(module.description().file_descriptor_set()));
  std::map<std::string, module::descriptors::Service> services;
  for (const auto& file : files.file()) {
    for (const auto& service : file.service()) {
      services[file.package() + "." + service.name()] = service;
    }
  }
  for (const Version& version : kVersions) {
    CAPTURE(version.name);
    std::set<std::string> expected = {"PathExists", "Mkdir", "Rmdir", version.link,
                                      version.link_question};
    if (version.name == "v2alpha1") expected.insert("RmdirContents");
    std::set<std::string> found;
    for (const auto& method : services.at(version.name + ".Filesystem").method()) {
      CAPTURE(method.name());
      found.insert(method.name());
      CHECK(method.input_type() == "." + version.name + "." + method.name() + "Request");
      CHECK(method.output_type() == "." + version.name + "." + method.name() + "Response");
      const auto& notes = method.options().method();
      const bool asks = method.name() == "PathExists" || method.name() == version.link_question;
      CHECK(notes.reads_only() == asks);
      CHECK(notes.object_field() == (method.name() == version.link ? "target_path" : "path"));
    }
    CHECK(found == expected);
  }
}

TEST_CASE("versions that share their handlers are the same on the wire") {
  const LoadedModule module(test::built_module("filesystem"));
  const auto differences = [&](const std::string& version, const std::string& handled_as) {
    return test::differences_on_wire(module.description(), version + ".Filesystem",
                                     handled_as + ".Filesystem");
  };
  CHECK(differences("v1alpha1", "v1beta1").empty());
  CHECK(differences("v1", "v2alpha1").empty());
  CHECK(differences("v1beta2", "v2alpha1").empty());
  CHECK_FALSE(differences("v1beta1", "v1").empty());  // of the other family
}

}  // namespace
}  // namespace longshore::filesystem
