// The module as its file: description and its methods called with bytes. It serves no disk of this
// machine.
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

// A request that names a disk which no node has. What changes disks gets no other here: 0 may be
// one.
std::string request_for_none(const Version& version) {
  return version.disk_field == "diskID" ? WireWriter().text(1, "4000000000")
                                        : WireWriter().number(1, 4'000'000'000);
}

// Settings with which no disk of the node's is served, where there is such a setting.
module::v1::Settings settings_without_disks(const LoadedModule& module) {
  auto settings = module.default_settings();
  const auto names = settings.mutable_values()->find("disk_names");
  if (names == settings.mutable_values()->end()) return settings;
  auto* strings = names->second.mutable_strings_value();
  strings->clear_values();
  strings->add_values("no-such-disk");
  return settings;
}

// A started module.
class Served {
 public:
  Served() { REQUIRE(module_.start(settings_without_disks(module_))); }
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
      const std::string request = request_for_none(version);
      const std::string answer = served.call(version.name + ".Disk/" + method, request);
      CHECK((answer != "UNIMPLEMENTED") == has);
    }
  }
}

TEST_CASE("lists are answered, and a number that no disk has is refused") {
  Served served;
  for (const Version& version : kVersions) {
    CAPTURE(version.name);
    const std::string service = version.name + ".Disk/";
    const bool is_old = version.disk_field == "diskID";
    const std::string none = request_for_none(version);
    for (const std::string& method : version.questions) {
      CAPTURE(method);
      const bool lists = method.starts_with("List");
      const std::string request = lists || method == "GetDiskNumberByName" ? "" : none;
      const std::string answer = served.call(service + method, request);
      if (lists) {
        CHECK(answer.empty());
      } else {
        CHECK(answer == (method == "GetDiskNumberByName" ? "INVALID_ARGUMENT" : "NOT_FOUND"));
      }
    }
    CHECK(served.call(service + "PartitionDisk", none) == "NOT_FOUND");
    if (is_old) CHECK(served.call(service + "PartitionDisk", "") == "INVALID_ARGUMENT");
    CHECK(served.call(service + "PartitionDisk", "\x0a\xff") == "INVALID_ARGUMENT");
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
