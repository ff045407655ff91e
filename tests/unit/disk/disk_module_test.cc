// The module as its file: description, settings, and its methods called with bytes. It serves no
// disk of this machine.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "longshore/module/descriptors.pb.h"
#include "tests/support/build_tree.h"
#include "tests/support/loaded_module.h"
#include "tests/support/same_on_wire.h"
#include "tests/support/wire_writer.h"

namespace longshore::disk {
namespace {

using test::LoadedModule;
using test::WireWriter;

// csi-proxy's methods of each version; those that only ask, and the field that names the disk.
struct Version {
  std::string name;
  std::set<std::string> questions, changes;
  std::string disk_field;
};
const Version kVersions[] = {
    {"v1alpha1",
     {"ListDiskLocations", "GetDiskNumberByName"},
     {"PartitionDisk", "Rescan"},
     "diskID"},
    {"v1beta1",
     {"ListDiskLocations", "ListDiskIDs", "DiskStats"},
     {"PartitionDisk", "Rescan"},
     "diskID"},
    {"v1beta2",
     {"ListDiskLocations", "ListDiskIDs", "DiskStats", "GetAttachState"},
     {"PartitionDisk", "Rescan", "SetAttachState"},
     "diskID"},
    {"v1beta3",
     {"ListDiskLocations", "ListDiskIDs", "GetDiskStats", "GetDiskState"},
     {"PartitionDisk", "Rescan", "SetDiskState"},
     "disk_number"},
    {"v1",
     {"ListDiskLocations", "ListDiskIDs", "GetDiskStats", "GetDiskState"},
     {"PartitionDisk", "Rescan", "SetDiskState"},
     "disk_number"},
};

module::v1::Settings settings_with(const LoadedModule& module,
                                   const std::vector<std::string>& disk_names) {
  auto settings = module.default_settings();
  auto* names = (*settings.mutable_values())["disk_names"].mutable_strings_value();
  names->clear_values();
  for (const std::string& name : disk_names) names->add_values(name);
  return settings;
}

// A started module that serves no disk.
class Served {
 public:
  Served() { REQUIRE(module_.start(settings_with(module_, {"no-such-disk"}))); }
  ~Served() { CHECK(module_.stop()); }

  // The answer's bytes, or the code's name.
  std::string call(const std::string& method, const std::string& request) {
    const auto answer = module_.call(method, request);
    return answer ? *answer : status_code_name(answer.error().code());
  }
  std::string complaint(const std::string& method, const std::string& request) {
    return module_.call(method, request).error().message();
  }

 private:
  LoadedModule module_{test::built_module("disk")};
};

TEST_CASE("every version has its methods and no other's") {
  Served served;
  std::set<std::string> all;
  for (const Version& version : kVersions) {
    all.insert(version.questions.begin(), version.questions.end());
    all.insert(version.changes.begin(), version.changes.end());
  }
  all.erase("Rescan");  // it would act on the machine's buses
  for (const Version& version : kVersions) {
    for (const std::string& method : all) {
      CAPTURE(version.name, method);
      const bool has = version.questions.contains(method) || version.changes.contains(method);
      const std::string answer = served.call(version.name + ".Disk/" + method, "");
      CHECK((answer != "UNIMPLEMENTED") == has);
    }
  }
}

TEST_CASE("a node without disks has empty lists, and no disk of any number") {
  Served served;
  for (const Version& version : kVersions) {
    CAPTURE(version.name);
    const std::string service = version.name + ".Disk/";
    const bool is_old = version.disk_field == "diskID";
    const std::string one = is_old ? WireWriter().text(1, "1") : WireWriter().number(1, 1);
    for (const std::string& method : version.questions) {
      CAPTURE(method);
      const bool lists = method.starts_with("List");
      const std::string request = lists || method == "GetDiskNumberByName" ? "" : one;
      const std::string expected = lists                             ? ""
                                   : method == "GetDiskNumberByName" ? "INVALID_ARGUMENT"
                                                                     : "NOT_FOUND";
      CHECK(served.call(service + method, request) == expected);
    }
    CHECK(served.call(service + "PartitionDisk", one) == "NOT_FOUND");
    CHECK(served.call(service + "PartitionDisk", "") ==
          (is_old ? "INVALID_ARGUMENT" : "NOT_FOUND"));
    CHECK(served.call(service + "PartitionDisk", "\x0a\xff") == "INVALID_ARGUMENT");
  }
}

TEST_CASE("the module does not start without usable disk names") {
  LoadedModule module(test::built_module("disk"));
  const auto refusal = [&](const std::vector<std::string>& disk_names) {
    const Result<void> started = module.start(settings_with(module, disk_names));
    REQUIRE_FALSE(started);
    CHECK(started.error().code() == StatusCode::kInvalidArgument);
    return started.error().message();
  };
  SECTION("none") { CHECK_THAT(refusal({}), Catch::Contains("the option disk_names is empty")); }
  SECTION("an empty one") { CHECK_THAT(refusal({""}), Catch::Contains("no disk can have such")); }
  SECTION("a path") {
    CHECK_THAT(refusal({"sd*", "/dev/sda"}),
               Catch::Contains("\"/dev/sda\"") && Catch::Contains("without /dev/"));
  }
}

TEST_CASE("the description names what csi-proxy's clients look for") {
  const LoadedModule module(test::built_module("disk"));
  const auto& description = module.description();
  CHECK(module.entry().name == std::string("longshore-disk"));
  REQUIRE(description.services_size() == 5);
  REQUIRE(description.csi_proxy_endpoints_size() == 5);
  for (int index = 0; index < 5; ++index) {
    const std::string& version = kVersions[index].name;
    CHECK(description.services(index) == version + ".Disk");
    CHECK(description.csi_proxy_endpoints(index).group() == "disk");
    CHECK(description.csi_proxy_endpoints(index).version() == version);
    CHECK(description.csi_proxy_endpoints(index).service() == version + ".Disk");
  }
  const auto settings = module.default_settings();
  REQUIRE(settings.values().size() == 1);
  const auto& names = settings.values().at("disk_names").strings_value().values();
  CHECK(std::vector<std::string>(names.begin(), names.end()) ==
        std::vector<std::string>{"sd*", "hd*", "vd*", "xvd*", "nvme*", "mmcblk*", "dasd*", "pmem*",
                                 "dm-*", "md*"});
}

TEST_CASE("the descriptors have every method with its messages and annotations") {
  const LoadedModule module(test::built_module("disk"));
  module::descriptors::FileSet files;
  REQUIRE(files.ParseFromString(module.description().file_descriptor_set()));
  std::map<std::string, module::descriptors::Service> services;
  for (const auto& file : files.file()) {
    for (const auto& service : file.service()) {
      services[file.package() + "." + service.name()] = service;
    }
  }
  CHECK(services.size() == 5);
  for (const Version& version : kVersions) {
    CAPTURE(version.name);
    std::set<std::string> questions, changes;
    for (const auto& method : services.at(version.name + ".Disk").method()) {
      const std::string& name = method.name();
      CAPTURE(name);
      CHECK(method.input_type() == "." + version.name + "." + name + "Request");
      CHECK(method.output_type() == "." + version.name + "." + name + "Response");
      const auto& notes = method.options().method();
      (notes.reads_only() ? questions : changes).insert(name);
      CHECK(notes.idempotent());
      const bool acts_on_all = name.starts_with("List") || name == "Rescan";
      CHECK(notes.object_field() == (acts_on_all                     ? ""
                                     : name == "GetDiskNumberByName" ? "disk_name"
                                                                     : version.disk_field));
    }
    CHECK(questions == version.questions);
    CHECK(changes == version.changes);
  }
}

TEST_CASE("a complaint about a disk's text names the message of the version that was called") {
  Served served;
  const std::string request = WireWriter().text(1, "one");
  for (const std::string version : {"v1alpha1", "v1beta1", "v1beta2"}) {
    CHECK_THAT(served.complaint(version + ".Disk/PartitionDisk", request),
               Catch::Contains("convert " + version + ".PartitionDiskRequest.DiskID to uint32"));
  }
  for (const std::string version : {"v1beta1", "v1beta2"}) {
    CHECK_THAT(served.complaint(version + ".Disk/DiskStats", request),
               Catch::Contains("format " + version + ".DiskStatsRequest.DiskID with err"));
  }
}

TEST_CASE("versions that share their handlers are the same on the wire") {
  const LoadedModule module(test::built_module("disk"));
  const auto differences = [&](const std::string& version, const std::string& handled_as) {
    return test::differences_on_wire(module.description(), version + ".Disk", handled_as + ".Disk");
  };
  CHECK(differences("v1beta3", "v1").empty());
  CHECK(differences("v1beta1", "v1beta2").empty());
  CHECK(differences("v1alpha1", "v1beta2").empty());
  CHECK_FALSE(differences("v1beta2", "v1").empty());  // of the other family
}

}  // namespace
}  // namespace longshore::disk
