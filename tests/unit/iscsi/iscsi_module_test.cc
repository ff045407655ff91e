// The module as its file: description, settings, and its methods called with bytes. Its open-iscsi
// is not there, and its database is a folder of the test's own.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "longshore/module/descriptors.pb.h"
#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"
#include "tests/support/same_on_wire.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_writer.h"

namespace longshore::iscsi {
namespace {

using test::LoadedModule;
using test::WireWriter;

constexpr const char* kVersions[] = {"v1alpha1", "v1alpha2"};
const std::set<std::string> kQuestions = {"ListTargetPortals", "GetTargetDisks"};
const std::set<std::string> kChanges = {"AddTargetPortal", "DiscoverTargetPortal",
                                        "RemoveTargetPortal", "ConnectTarget", "DisconnectTarget"};
constexpr const char* kIqn = "iqn.2001-04.org.example:disks";

std::string portal(const std::string& address, uint64_t port = 0) {
  return WireWriter().text(1, WireWriter().text(1, address).number(2, port).bytes());
}

class Served {
 public:
  Served() {
    auto settings = module_.default_settings();
    const auto set = [&](const char* name, const std::string& value) {
      (*settings.mutable_values())[name].set_string_value(value);
    };
    set("iscsiadm", directory_ / "no-iscsiadm");
    set("database", directory_.path());
    REQUIRE(module_.start(settings));
  }
  ~Served() { CHECK(module_.stop()); }

  const test::TemporaryDirectory& directory() const { return directory_; }
  Result<std::string> answer(const std::string& method, const std::string& request) {
    return module_.call(method, request);
  }
  // The answer's bytes, or the code's name.
  std::string call(const std::string& method, const std::string& request) {
    const auto result = answer(method, request);
    return result ? *result : status_code_name(result.error().code());
  }

 private:
  const test::TemporaryDirectory directory_;
  LoadedModule module_{test::built_module("iscsi")};
};

TEST_CASE("every version has its methods and no other's") {
  Served served;
  for (const std::string version : kVersions) {
    const std::string service = version + ".Iscsi/";
    for (const std::string& method : kQuestions) {
      CHECK(served.call(service + method, "") != "UNIMPLEMENTED");
    }
    for (const std::string& method : kChanges) {
      CHECK(served.call(service + method, "") != "UNIMPLEMENTED");
    }
  }
  const std::string secret = WireWriter().text(1, "123456789012");
  CHECK(served.call("v1alpha2.Iscsi/SetMutualChapSecret", secret).empty());
  CHECK(served.call("v1alpha1.Iscsi/SetMutualChapSecret", secret) == "UNIMPLEMENTED");
}

TEST_CASE("a request without a portal, or with one that cannot be, is INVALID_ARGUMENT") {
  Served served;
  const std::string service =
      std::string(GENERATE(as<std::string>(), "v1alpha1", "v1alpha2")) + ".Iscsi/";
  std::set<std::string> methods = kChanges;
  methods.insert("GetTargetDisks");
  for (const std::string& method : methods) {
    CAPTURE(method);
    const std::string name = WireWriter().text(2, kIqn);
    CHECK(served.call(service + method, "") == "INVALID_ARGUMENT");
    CHECK(served.call(service + method, name) == "INVALID_ARGUMENT");
    CHECK(served.call(service + method, portal("") + name) == "INVALID_ARGUMENT");
    CHECK(served.call(service + method, portal("--help") + name) == "INVALID_ARGUMENT");
    CHECK(served.call(service + method, portal("192.0.2.1", 65536) + name) == "INVALID_ARGUMENT");
    CHECK(served.call(service + method, "\x0a\xff") == "INVALID_ARGUMENT");
    if (method.find("TargetPortal") == std::string::npos) {
      CHECK(served.call(service + method, portal("192.0.2.1")) == "INVALID_ARGUMENT");
    }
  }
}

TEST_CASE("a node without open-iscsi knows nothing, and says what is missing") {
  Served served;
  const std::string service = "v1alpha2.Iscsi/";
  const std::string target = portal("192.0.2.1") + WireWriter().text(2, kIqn).bytes();
  CHECK(served.call(service + "ListTargetPortals", "").empty());
  CHECK(served.call(service + "GetTargetDisks", target).empty());
  CHECK(served.call(service + "DisconnectTarget", target).empty());
  CHECK(served.call(service + "RemoveTargetPortal", portal("192.0.2.1")).empty());
  CHECK(served.call(service + "DiscoverTargetPortal", portal("192.0.2.1")) == "NOT_FOUND");
  CHECK(served.call(service + "ConnectTarget", target) == "NOT_FOUND");
  const auto added = served.answer(service + "AddTargetPortal", portal("192.0.2.1"));
  REQUIRE_FALSE(added);
  CHECK(added.error().code() == StatusCode::kFailedPrecondition);
  CHECK_THAT(added.error().message(), Catch::Contains("open-iscsi"));
}

TEST_CASE("what is asked of CHAP is checked before anything is done") {
  Served served;
  const std::string method = "v1alpha2.Iscsi/ConnectTarget";
  const auto connect = [&](uint64_t type, const std::string& username, const std::string& secret) {
    const std::string request =
        portal("192.0.2.1") +
        WireWriter().text(2, kIqn).number(3, type).text(4, username).text(5, secret).bytes();
    const auto answer = served.answer(method, request);
    if (answer) return std::string("OK");
    CHECK_THAT(answer.error().message(), !Catch::Contains("secret-of"));
    return status_code_name(answer.error().code());
  };
  CHECK(connect(0, "", "") == "NOT_FOUND");                                   // no such portal
  CHECK(connect(0, "a\nb", "secret-of-nobody-and-too-long") == "NOT_FOUND");  // not used
  CHECK(connect(1, "node", "secret-of-12") == "NOT_FOUND");
  CHECK(connect(1, "", "secret-of-12") == "INVALID_ARGUMENT");
  CHECK(connect(1, "node", "") == "INVALID_ARGUMENT");
  CHECK(connect(1, "node", "secret-of-1") == "INVALID_ARGUMENT");
  CHECK(connect(1, "node", "secret-of-seventeen") == "INVALID_ARGUMENT");
  CHECK(connect(1, "node", "secret-of-12\n") == "INVALID_ARGUMENT");
  CHECK(connect(3, "node", "secret-of-12") == "INVALID_ARGUMENT");
  CHECK(connect(2, "node", "secret-of-12") == "FAILED_PRECONDITION");
  const auto set = [&](const std::string& secret) {
    return served.call("v1alpha2.Iscsi/SetMutualChapSecret", WireWriter().text(1, secret));
  };
  CHECK(set("") == "INVALID_ARGUMENT");
  CHECK(set("secret-of-1") == "INVALID_ARGUMENT");
  CHECK(set("secret-of-seventeen") == "INVALID_ARGUMENT");
  CHECK(connect(2, "node", "secret-of-12") == "FAILED_PRECONDITION");
  CHECK(set("secret-of-12").empty());
  CHECK(connect(2, "node", "secret-of-12") == "INVALID_ARGUMENT");  // the same in both directions
  CHECK(connect(2, "node", "secret-of-13.") == "NOT_FOUND");
}

TEST_CASE("known portals are listed with their ports") {
  Served served;
  std::filesystem::create_directories(served.directory() / "send_targets/2001:db8::1,860");
  test::write_file(served.directory() / "send_targets/2001:db8::1,860/st_config", "");
  const std::string expected =
      WireWriter().text(1, WireWriter().text(1, "2001:db8::1").number(2, 860).bytes());
  CHECK(served.call("v1alpha1.Iscsi/ListTargetPortals", "") == expected);
}

TEST_CASE("the module does not start with paths that are none") {
  LoadedModule module(test::built_module("iscsi"));
  const std::string option = GENERATE(as<std::string>(), "iscsiadm", "database");
  auto settings = module.default_settings();
  (*settings.mutable_values())[option].set_string_value("iscsi");
  const Result<void> started = module.start(settings);
  REQUIRE_FALSE(started);
  CHECK(started.error().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(started.error().message(), Catch::Contains(option));
}

TEST_CASE("the description and the descriptors name what csi-proxy's clients look for") {
  const LoadedModule module(test::built_module("iscsi"));
  const auto& description = module.description();
  CHECK(module.entry().name == std::string("longshore-iscsi"));
  REQUIRE(description.services_size() == 2);
  REQUIRE(description.csi_proxy_endpoints_size() == 2);
  for (int index = 0; index < 2; ++index) {
    const std::string service = std::string(kVersions[index]) + ".Iscsi";
    CHECK(description.services(index) == service);
    CHECK(description.csi_proxy_endpoints(index).group() == "iscsi");
    CHECK(description.csi_proxy_endpoints(index).version() == kVersions[index]);
    CHECK(description.csi_proxy_endpoints(index).service() == service);
  }
  module::descriptors::FileSet files;
  REQUIRE(files.ParseFromString(description.file_descriptor_set()));
  std::map<std::string, module::descriptors::Service> services;
  for (const auto& file : files.file()) {
    for (const auto& service : file.service()) {
      services[file.package() + "." + service.name()] = service;
    }
  }
  for (const std::string version : kVersions) {
    CAPTURE(version);
    std::set<std::string> questions, changes;
    for (const auto& method : services.at(version + ".Iscsi").method()) {
      CAPTURE(method.name());
      const auto& notes = method.options().method();
      (notes.reads_only() ? questions : changes).insert(method.name());
      CHECK(notes.idempotent());
      const bool has_name = method.input_type().find("TargetRequest") != std::string::npos ||
                            method.name() == "GetTargetDisks";
      CHECK(notes.object_field() == (has_name ? "iqn" : ""));
    }
    CHECK(questions == kQuestions);
    std::set<std::string> expected = kChanges;
    if (version == "v1alpha2") expected.insert("SetMutualChapSecret");
    CHECK(changes == expected);
  }
}

TEST_CASE("versions that share their handlers are the same on the wire") {
  const LoadedModule module(test::built_module("iscsi"));
  const auto differences = [&](const std::string& version, const std::string& handled_as) {
    return test::differences_on_wire(module.description(), version + ".Iscsi",
                                     handled_as + ".Iscsi");
  };
  CHECK(differences("v1alpha1", "v1alpha2").empty());
}

}  // namespace
}  // namespace longshore::iscsi
