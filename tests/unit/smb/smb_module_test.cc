// The module as its file: description, settings, and its methods called with bytes. It maps
// nothing: no request gets as far as a server.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "longshore/module/descriptors.pb.h"
#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"
#include "tests/support/same_on_wire.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/wire_writer.h"

namespace longshore::smb {
namespace {

using test::LoadedModule;
using test::WireWriter;

const std::set<std::string> kVersions = {"v1alpha1", "v1beta1", "v1beta2", "v1"};

void put(module::v1::Settings& settings, const std::string& option, const std::string& text) {
  auto* values = (*settings.mutable_values())[option].mutable_strings_value();
  values->clear_values();
  values->add_values(text);
}

// A started module that may make links in a directory of the test.
class Served {
 public:
  Served() {
    auto settings = module_.default_settings();
    put(settings, "allowed_roots", directory_.path());
    (*settings.mutable_values())["mappings_directory"].set_string_value(directory_ / "mappings");
    REQUIRE(module_.start(settings));
  }
  ~Served() { CHECK(module_.stop()); }

  std::string local(const std::string& name) const { return directory_ / name; }

  // "OK" and the answer's bytes, or the code's name.
  std::string call(const std::string& method, const std::string& request) {
    const auto answer = module_.call(method, request);
    text_ = answer ? "" : answer.error().message();
    return answer ? "OK" + *answer : status_code_name(answer.error().code());
  }
  // Of the last call.
  const std::string& error_text() const { return text_; }

 private:
  test::TemporaryDirectory directory_;
  LoadedModule module_{test::built_module("smb")};
  std::string text_;
};

std::string new_request(const std::string& remote, const std::string& local,
                        const std::string& user = "u", const std::string& password = "p") {
  return WireWriter().text(1, remote).text(2, local).text(3, user).text(4, password);
}

TEST_CASE("every version takes the same requests") {
  Served served;
  for (const std::string& version : kVersions) {
    CAPTURE(version);
    const std::string service = version + ".Smb/";
    CHECK(served.call(service + "NewSmbGlobalMapping", "") == "INVALID_ARGUMENT");
    CHECK_THAT(served.error_text(), Catch::Contains("remote path is empty"));
    CHECK(served.call(service + "NewSmbGlobalMapping", new_request("\\\\files", "")) ==
          "INVALID_ARGUMENT");
    CHECK_THAT(served.error_text(), Catch::Contains("remote path (\\\\files) is invalid"));
    CHECK(served.call(service + "RemoveSmbGlobalMapping", "") == "INVALID_ARGUMENT");
    CHECK(served.call(service + "RemoveSmbGlobalMapping", "\x0a\xff") == "INVALID_ARGUMENT");
    CHECK(served.call(service + "RemoveSmbGlobalMapping",
                      WireWriter().text(1, "\\\\files\\share")) == "OK");
    CHECK(served.call(service + "ListSmbGlobalMappings", "") == "UNIMPLEMENTED");
  }
}

TEST_CASE("nothing secret stands in an error") {
  Served served;
  const std::string method = "v1.Smb/NewSmbGlobalMapping";
  const auto is_silent = [&] {
    return served.error_text().find("t0psecret") == std::string::npos &&
           served.error_text().find("somebody") == std::string::npos;
  };
  CHECK(served.call(method, new_request("//files", "", "somebody", "t0psecret")) ==
        "INVALID_ARGUMENT");
  CHECK(is_silent());
  CHECK(served.call(method, new_request("//files/share", "", "somebody\n", "t0psecret")) ==
        "INVALID_ARGUMENT");
  CHECK(is_silent());
  CHECK(served.call(method, new_request("//files/share", "", "somebody",
                                        std::string("t0psecret\0x", 11))) == "INVALID_ARGUMENT");
  CHECK(is_silent());
  CHECK(served.call(method, new_request("//files/share", "/etc/x", "somebody", "t0psecret")) ==
        "PERMISSION_DENIED");
  CHECK(is_silent());
}

TEST_CASE("the local path is checked before any server is asked") {
  Served served;
  const auto map_at = [&](const std::string& local) {
    // No resolver knows the name; nobody is asked for it.
    return served.call("v1.Smb/NewSmbGlobalMapping", new_request("//no.invalid/share", local));
  };
  CHECK(map_at(served.local("missing/volume")) == "NOT_FOUND");
  CHECK_THAT(served.error_text(), Catch::Contains("make the link"));
  test::write_file(served.local("file"), "");
  CHECK(map_at(served.local("file")) == "ALREADY_EXISTS");
  CHECK(map_at("relative") == "INVALID_ARGUMENT");
}

TEST_CASE("bad settings keep the module from starting") {
  const auto [option, value, complaint] = GENERATE(table<std::string, std::string, std::string>({
      {"mount_options", "password=x", "allowed are"},
      {"mount_options", "vers=3,sec=none", "no value that it can have"},
      {"allowed_roots", "relative", "allowed root"},
  }));
  LoadedModule module(test::built_module("smb"));
  auto settings = module.default_settings();
  put(settings, option, value);
  const Result<void> started = module.start(settings);
  REQUIRE_FALSE(started);
  CHECK_THAT(started.error().message(), Catch::Contains(complaint));
}

TEST_CASE("a relative mappings directory keeps the module from starting") {
  LoadedModule module(test::built_module("smb"));
  auto settings = module.default_settings();
  (*settings.mutable_values())["mappings_directory"].set_string_value("smb");
  const Result<void> started = module.start(settings);
  REQUIRE_FALSE(started);
  CHECK_THAT(started.error().message(), Catch::Contains("mappings_directory"));
}

TEST_CASE("the description names what csi-proxy's clients look for") {
  const LoadedModule module(test::built_module("smb"));
  const auto& description = module.description();
  CHECK(module.entry().name == std::string("longshore-smb"));
  std::set<std::string> versions;
  for (const auto& endpoint : description.csi_proxy_endpoints()) {
    CHECK(endpoint.group() == "smb");
    CHECK(endpoint.service() == endpoint.version() + ".Smb");
    versions.insert(endpoint.version());
  }
  CHECK(versions == kVersions);
  CHECK(description.services_size() == 4);

  module::descriptors::FileSet files;
  REQUIRE(files.ParseFromString(description.file_descriptor_set()));
  std::map<std::string, std::set<std::string>> methods;
  for (const auto& file : files.file()) {
    for (const auto& service : file.service()) {
      for (const auto& method : service.method()) {
        CAPTURE(file.package(), method.name());
        methods[file.package() + "." + service.name()].insert(method.name());
        CHECK(method.input_type() == "." + file.package() + "." + method.name() + "Request");
        CHECK(method.output_type() == "." + file.package() + "." + method.name() + "Response");
        CHECK(method.options().method().object_field() == "remote_path");
        CHECK(method.options().method().idempotent());
        CHECK_FALSE(method.options().method().reads_only());
      }
    }
  }
  REQUIRE(methods.size() == 4);
  for (const auto& [service, names] : methods) {
    CHECK(names == std::set<std::string>{"NewSmbGlobalMapping", "RemoveSmbGlobalMapping"});
  }
}

TEST_CASE("versions that share their handlers are the same on the wire") {
  const LoadedModule module(test::built_module("smb"));
  const auto differences = [&](const std::string& version, const std::string& handled_as) {
    return test::differences_on_wire(module.description(), version + ".Smb", handled_as + ".Smb");
  };
  CHECK(differences("v1beta2", "v1").empty());
  CHECK(differences("v1beta1", "v1").empty());
  CHECK(differences("v1alpha1", "v1").empty());
  CHECK(differences("v1", "v1alpha1").size() == 2);  // it has a text in its answers
}

}  // namespace
}  // namespace longshore::smb
