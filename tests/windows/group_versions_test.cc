// Every method of every version of the six groups is called at its own pipe, also where Wine has
// nothing that it could work on: then it is a clear error. The list of methods is that of the
// .proto files, so that none is forgotten.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/build_tree.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"
#include "tests/windows/in_csi_proxys_place.h"

using namespace longshore;
using namespace longshore::test;
using Catch::Contains;

namespace {

using Versions = std::vector<std::string>;

const std::string kNoVolume = R"(\\?\Volume{00000000-0000-0000-0000-00000000ffff}\)";

// What is asked, and a part of the refusal, which no method that is missing would say; empty: it is
// answered.
struct Asked {
  std::string method;
  Versions versions;
  std::string request;
  std::string refusal;
};

struct GroupAsked {
  std::string group;
  std::string service;
  std::vector<Asked> calls;
};

GroupAsked disk_calls() {
  const Versions all = {"v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1"};
  const Versions with_ids = {"v1beta1", "v1beta2", "v1beta3", "v1"};
  const Versions by_number = {"v1beta3", "v1"};
  const WireWriter number = WireWriter().number(1, 77);
  const WireWriter text = WireWriter().text(1, "77");
  return {"disk",
          "Disk",
          {{"ListDiskLocations", all, "", ""},
           {"ListDiskIDs", with_ids, "", ""},
           {"Rescan", all, "", "WMI"},
           {"GetDiskNumberByName", {"v1alpha1"}, WireWriter().text(1, "no-disk"), "no-disk"},
           {"PartitionDisk", {"v1alpha1", "v1beta1", "v1beta2"}, text, "77"},
           {"PartitionDisk", by_number, number, "77"},
           {"DiskStats", {"v1beta1", "v1beta2"}, WireWriter().text(1, "0"), ""},
           {"GetDiskStats", by_number, WireWriter().number(1, 0), ""},
           {"SetAttachState", {"v1beta2"}, text, "77"},
           {"SetDiskState", by_number, number, "77"},
           {"GetAttachState", {"v1beta2"}, text, "77"},
           {"GetDiskState", by_number, number, "77"}}};
}

GroupAsked volume_calls(const std::string& target) {
  const Versions old = {"v1alpha1", "v1beta1", "v1beta2"};
  const Versions old_with_stats = {"v1beta1", "v1beta2"};
  const Versions stable = {"v1beta3", "v1", "v2alpha1"};
  const Versions all = {"v1alpha1", "v1beta1", "v1beta2", "v1beta3", "v1", "v2alpha1"};
  const WireWriter id = WireWriter().text(1, kNoVolume);
  const WireWriter id_at = WireWriter(id).text(2, target);
  const WireWriter at = WireWriter().text(1, target);
  return {"volume",
          "Volume",
          {{"ListVolumesOnDisk", old, WireWriter().text(1, "77"), "77"},
           {"ListVolumesOnDisk", stable, WireWriter().number(1, 77), "77"},
           {"IsVolumeFormatted", all, id, "ffff"},
           {"FormatVolume", all, id, "ffff"},
           {"MountVolume", all, id_at, "ffff"},
           // As csi-proxy has it: what is not mounted need not be unmounted.
           {"DismountVolume", old, id_at, ""},
           {"UnmountVolume", stable, id_at, ""},
           {"ResizeVolume", all, id, "ffff"},
           {"VolumeStats", old_with_stats, id, "ffff"},
           {"GetVolumeStats", stable, id, "ffff"},
           {"GetVolumeDiskNumber", old_with_stats, id, "ffff"},
           {"GetDiskNumberFromVolumeID", stable, id, "ffff"},
           {"GetVolumeIDFromMount", old_with_stats, at, "not a mounted folder"},
           {"GetVolumeIDFromTargetPath", stable, at, "not a mounted folder"},
           {"GetClosestVolumeIDFromTargetPath", {"v2alpha1"}, at, "no volume of a disk"},
           {"WriteVolumeCache", {"v1beta2", "v1beta3", "v1", "v2alpha1"}, id, "ffff"}}};
}

GroupAsked filesystem_calls(const std::string& target) {
  const Versions old = {"v1alpha1", "v1beta1"};
  const Versions stable = {"v1beta2", "v1", "v2alpha1"};
  const Versions all = {"v1alpha1", "v1beta1", "v1beta2", "v1", "v2alpha1"};
  const WireWriter at = WireWriter().text(1, target);
  const WireWriter link = WireWriter().text(1, target).text(2, target + "-link");
  return {"filesystem",
          "Filesystem",
          {{"PathExists", all, at, ""},
           {"Mkdir", all, at, ""},
           {"IsMountPoint", old, at, ""},
           {"IsSymlink", stable, at, ""},
           // Wine makes none.
           {"LinkPath", old, link, "target-link"},
           {"CreateSymlink", stable, link, "target-link"},
           {"RmdirContents", {"v2alpha1"}, at, ""},
           {"Rmdir", all, WireWriter().text(1, target + "-none"), "target-none"}}};
}

GroupAsked smb_calls() {
  const Versions all = {"v1alpha1", "v1beta1", "v1beta2", "v1"};
  const WireWriter mapping =
      WireWriter().text(1, R"(\\server\share)").text(3, "user").text(4, "password");
  return {"smb",
          "Smb",
          {{"NewSmbGlobalMapping", all, mapping, "WMI"},
           {"RemoveSmbGlobalMapping", all, mapping, "WMI"}}};
}

GroupAsked iscsi_calls() {
  const Versions all = {"v1alpha1", "v1alpha2"};
  const WireWriter portal = WireWriter().text(1, WireWriter().text(1, "127.0.0.1").bytes());
  const WireWriter target = WireWriter(portal).text(2, "iqn.2026-01.org.example:one");
  return {"iscsi",
          "Iscsi",
          {{"AddTargetPortal", all, portal, "iSCSI"},
           {"DiscoverTargetPortal", all, portal, "iSCSI"},
           {"RemoveTargetPortal", all, portal, "iSCSI"},
           {"ListTargetPortals", all, "", "iSCSI"},
           {"ConnectTarget", all, target, "iSCSI"},
           {"DisconnectTarget", all, target, "iSCSI"},
           {"GetTargetDisks", all, target, "iSCSI"},
           {"SetMutualChapSecret", {"v1alpha2"}, WireWriter().text(1, "123456789012"), "iSCSI"}}};
}

GroupAsked system_calls() {
  const WireWriter none = WireWriter().text(1, "no-service");
  return {"system",
          "System",
          {{"GetBIOSSerialNumber", {"v1alpha1"}, "", ""},
           {"GetService", {"v1alpha1"}, none, "no-service"},
           {"StartService", {"v1alpha1"}, none, "no-service"},
           {"StopService", {"v1alpha1"}, none, "no-service"}}};
}

// "v1.Disk/Rescan" of the group's .proto files.
std::set<std::string> methods_of(const GroupAsked& group) {
  static const std::regex kMethodOfProto(R"(\n  rpc (\w+)\()");
  std::set<std::string> methods;
  const std::filesystem::path folder = source_tree() + "/sdk/proto/" + group.group;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string prefix = entry.path().stem().string() + "." + group.service + "/";
    for (std::sregex_iterator at(text.begin(), text.end(), kMethodOfProto), end; at != end; ++at) {
      methods.insert(prefix + (*at)[1].str());
    }
  }
  return methods;
}

void check_answer(const GroupAsked& group, const std::string& version, const Asked& asked) {
  CAPTURE(version, group.service, asked.method);
  TestClient client(csi_proxy_pipe(group.group, version));
  const auto answer =
      client.call(version + "." + group.service + "/" + asked.method, asked.request);
  INFO(answer->text());
  if (asked.method == "GetBIOSSerialNumber") {
    // The machine's, if Wine may read it.
    CHECK((answer->code() == StatusCode::kOk || answer->code() == StatusCode::kNotFound));
  } else if (asked.refusal.empty()) {
    CHECK(answer->code() == StatusCode::kOk);
  } else {
    CHECK(answer->code() != StatusCode::kOk);
    CHECK(answer->code() != StatusCode::kUnknown);
    CHECK_THAT(answer->text(), Contains(asked.refusal) && !Contains("password"));
  }
}

}  // namespace

TEST_CASE("every method of every version is answered at its pipe, or refused by a clear error") {
  const InCsiProxysPlace csi_proxy;
  const std::string target = csi_proxy.path("target");
  std::filesystem::create_directory(target);
  for (const GroupAsked& group : {disk_calls(), volume_calls(target), filesystem_calls(target),
                                  smb_calls(), iscsi_calls(), system_calls()}) {
    std::set<std::string> called;
    for (const Asked& asked : group.calls) {
      for (const std::string& version : asked.versions) {
        check_answer(group, version, asked);
        called.insert(version + "." + group.service + "/" + asked.method);
      }
    }
    CHECK_FALSE(called.empty());
    CHECK(called == methods_of(group));
  }
}
