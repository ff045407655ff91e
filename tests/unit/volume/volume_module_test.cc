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

namespace longshore::volume {
namespace {

using test::LoadedModule;
using test::WireWriter;

// csi-proxy's methods: the names of a version, and the field that names what a method acts on where
// it is not the volume's id.
const std::set<std::string> kOldest = {"ListVolumesOnDisk", "MountVolume",  "DismountVolume",
                                       "IsVolumeFormatted", "FormatVolume", "ResizeVolume"};
const std::set<std::string> kStable = {"ListVolumesOnDisk",
                                       "MountVolume",
                                       "UnmountVolume",
                                       "IsVolumeFormatted",
                                       "FormatVolume",
                                       "ResizeVolume",
                                       "GetVolumeStats",
                                       "GetDiskNumberFromVolumeID",
                                       "GetVolumeIDFromTargetPath",
                                       "WriteVolumeCache"};

std::set<std::string> with(std::set<std::string> methods, const std::set<std::string>& more) {
  methods.insert(more.begin(), more.end());
  return methods;
}

struct Version {
  std::string name;
  std::set<std::string> methods;
  std::string disk_field;
};
const std::set<std::string> kOlder =
    with(kOldest, {"VolumeStats", "GetVolumeDiskNumber", "GetVolumeIDFromMount"});
const Version kVersions[] = {
    {"v1alpha1", kOldest, "disk_id"},
    {"v1beta1", kOlder, "disk_id"},
    {"v1beta2", with(kOlder, {"WriteVolumeCache"}), "disk_id"},
    {"v1beta3", kStable, "disk_number"},
    {"v1", kStable, "disk_number"},
    {"v2alpha1", with(kStable, {"GetClosestVolumeIDFromTargetPath"}), "disk_number"},
};
// The others only ask.
const std::set<std::string> kChanges = {"MountVolume",  "DismountVolume", "UnmountVolume",
                                        "FormatVolume", "ResizeVolume",   "WriteVolumeCache"};
// Messages are named after their methods, but for these.
const std::map<std::string, std::string> kMessages = {
    {"GetVolumeDiskNumber", "VolumeDiskNumber"}, {"GetVolumeIDFromMount", "VolumeIDFromMount"}};

std::string object_field_of(const Version& version, const std::string& method) {
  if (method == "ListVolumesOnDisk") return version.disk_field;
  if (method == "GetVolumeIDFromMount") return "mount";
  return method.ends_with("FromTargetPath") ? "target_path" : "volume_id";
}

// The defaults, without any disk of this machine where there is such a setting.
module::v1::Settings harmless_settings(const LoadedModule& module) {
  auto settings = module.default_settings();
  const auto names = settings.mutable_values()->find("disk_names");
  if (names == settings.mutable_values()->end()) return settings;
  auto* strings = names->second.mutable_strings_value();
  strings->clear_values();
  strings->add_values("no-such-disk");
  return settings;
}

// A started module that serves no disk.
class Served {
 public:
  Served() { REQUIRE(module_.start(harmless_settings(module_))); }
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
  LoadedModule module_{test::built_module("volume")};
};

TEST_CASE("every version has its methods and no other's") {
  Served served;
  std::set<std::string> all;
  for (const Version& version : kVersions) all = with(all, version.methods);
  for (const Version& version : kVersions) {
    for (const std::string& method : all) {
      CAPTURE(version.name, method);
      // An empty request names no volume and no path; a number that it lacks would be disk 0.
      const bool lists_by_number =
          method == "ListVolumesOnDisk" && version.disk_field == "disk_number";
      const std::string request =
          lists_by_number ? WireWriter().number(1, 4'000'000'000).bytes() : std::string();
      const std::string expected = !version.methods.contains(method) ? "UNIMPLEMENTED"
                                   : lists_by_number                 ? "NOT_FOUND"
                                                                     : "INVALID_ARGUMENT";
      CHECK(served.call(version.name + ".Volume/" + method, request) == expected);
    }
  }
}

TEST_CASE("a node without disks has no volume of any id") {
  Served served;
  const std::string id = WireWriter().text(1, "PARTUUID=00000000-0000-0000-0000-000000000000");
  for (const Version& version : kVersions) {
    for (const std::string& method : version.methods) {
      if (object_field_of(version, method) != "volume_id") continue;
      CAPTURE(version.name, method);
      const bool has_path = method.find("ount") != std::string::npos && method.ends_with("Volume");
      CHECK(served.call(version.name + ".Volume/" + method, id) ==
            (has_path ? "INVALID_ARGUMENT" : "NOT_FOUND"));
      CHECK(served.call(version.name + ".Volume/" + method, "\x0a\xff") == "INVALID_ARGUMENT");
    }
  }
}

TEST_CASE("the description names what csi-proxy's clients look for") {
  const LoadedModule module(test::built_module("volume"));
  const auto& description = module.description();
  CHECK(module.entry().name == std::string("longshore-volume"));
  REQUIRE(description.services_size() == 6);
  REQUIRE(description.csi_proxy_endpoints_size() == 6);
  for (int index = 0; index < 6; ++index) {
    const std::string& version = kVersions[index].name;
    CHECK(description.services(index) == version + ".Volume");
    CHECK(description.csi_proxy_endpoints(index).group() == "volume");
    CHECK(description.csi_proxy_endpoints(index).version() == version);
    CHECK(description.csi_proxy_endpoints(index).service() == version + ".Volume");
  }
}

TEST_CASE("the descriptors have every method with its messages and annotations") {
  const LoadedModule module(test::built_module("volume"));
  module::descriptors::FileSet files;
  REQUIRE(files.ParseFromString(module.description().file_descriptor_set()));
  std::map<std::string, module::descriptors::Service> services;
  for (const auto& file : files.file()) {
    for (const auto& service : file.service()) {
      services[file.package() + "." + service.name()] = service;
    }
  }
  CHECK(services.size() == 6);
  for (const Version& version : kVersions) {
    CAPTURE(version.name);
    std::set<std::string> found;
    for (const auto& method : services.at(version.name + ".Volume").method()) {
      CAPTURE(method.name());
      found.insert(method.name());
      const auto other = kMessages.find(method.name());
      const std::string message = other == kMessages.end() ? method.name() : other->second;
      CHECK(method.input_type() == "." + version.name + "." + message + "Request");
      CHECK(method.output_type() == "." + version.name + "." + message + "Response");
      const auto& notes = method.options().method();
      CHECK(notes.reads_only() == !kChanges.contains(method.name()));
      CHECK(notes.idempotent());
      CHECK(notes.object_field() == object_field_of(version, method.name()));
    }
    CHECK(found == version.methods);
  }
}

TEST_CASE("a complaint about a disk's text names the message of the version that was called") {
  Served served;
  const std::string request = WireWriter().text(1, "one");
  for (const std::string version : {"v1alpha1", "v1beta1", "v1beta2"}) {
    CHECK_THAT(served.complaint(version + ".Volume/ListVolumesOnDisk", request),
               Catch::Contains("Failed to parse diskId: " + version +
                               ".ListVolumesOnDiskRequest.disk_id"));
  }
}

TEST_CASE("versions that share their handlers are the same on the wire") {
  const LoadedModule module(test::built_module("volume"));
  const auto differences = [&](const std::string& version, const std::string& handled_as) {
    return test::differences_on_wire(module.description(), version + ".Volume",
                                     handled_as + ".Volume");
  };
  CHECK(differences("v1", "v2alpha1").empty());
  CHECK(differences("v1beta3", "v2alpha1").empty());
  CHECK(differences("v1beta1", "v1beta2").empty());
  CHECK(differences("v1alpha1", "v1beta2").empty());
  CHECK_FALSE(differences("v1beta2", "v1").empty());  // of the other family
}

}  // namespace
}  // namespace longshore::volume
