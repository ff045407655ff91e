// The wire versions of the disk and volume groups, from csi-proxy's tables, and a node whose agent
// is called in each of them.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "tests/support/agent_process.h"
#include "tests/support/disk_node.h"
#include "tests/support/test_client.h"
#include "tests/support/wire_writer.h"

namespace longshore::test {

// What the wire says of one version of the disk group: the names that moved, "" where there is none
// yet.
struct DiskVersion {
  std::string name;
  bool has_text_ids;
  std::string ids, stats, set_state, state;
};
inline const DiskVersion kDiskVersions[] = {
    {"v1alpha1", true, "", "", "", ""},
    {"v1beta1", true, "ListDiskIDs", "DiskStats", "", ""},
    {"v1beta2", true, "ListDiskIDs", "DiskStats", "SetAttachState", "GetAttachState"},
    {"v1beta3", false, "ListDiskIDs", "GetDiskStats", "SetDiskState", "GetDiskState"},
    {"v1", false, "ListDiskIDs", "GetDiskStats", "SetDiskState", "GetDiskState"},
};

// The same of the volume group.
struct VolumeVersion {
  std::string name;
  bool has_text_ids;
  std::string unmount, stats, disk_number, id_at, flush;
};
inline const VolumeVersion kVolumeVersions[] = {
    {"v1alpha1", true, "DismountVolume", "", "", "", ""},
    {"v1beta1", true, "DismountVolume", "VolumeStats", "GetVolumeDiskNumber",
     "GetVolumeIDFromMount", ""},
    {"v1beta2", true, "DismountVolume", "VolumeStats", "GetVolumeDiskNumber",
     "GetVolumeIDFromMount", "WriteVolumeCache"},
    {"v1beta3", false, "UnmountVolume", "GetVolumeStats", "GetDiskNumberFromVolumeID",
     "GetVolumeIDFromTargetPath", "WriteVolumeCache"},
    {"v1", false, "UnmountVolume", "GetVolumeStats", "GetDiskNumberFromVolumeID",
     "GetVolumeIDFromTargetPath", "WriteVolumeCache"},
    {"v2alpha1", false, "UnmountVolume", "GetVolumeStats", "GetDiskNumberFromVolumeID",
     "GetVolumeIDFromTargetPath", "WriteVolumeCache"},
};

// The field of a disk's number.
inline WireWriter disk_field(bool is_text, uint32_t number) {
  return is_text ? WireWriter().text(1, std::to_string(number)) : WireWriter().number(1, number);
}

// A node with its agent, which serves.
struct ServedNode {
  explicit ServedNode(const DiskNodeSetup& setup = {}) : node(setup) {
    INFO(node.directory().log());
    REQUIRE(agent.serves());
  }
  ~ServedNode() { CHECK(agent.stop() == 0); }

  DiskNode node;
  AgentProcess agent{node.directory()};
};

// One version's client: the service is part of what is called.
class VersionClient {
 public:
  VersionClient(const DiskNode& node, const std::string& group, const std::string& version)
      : service_(version + (group == "disk" ? ".Disk/" : ".Volume/")),
        client_(node.socket(group, version)) {}

  // The bytes of an answer that must be a good one.
  std::string call(const std::string& method, const std::string& request) {
    const auto answer = client_.call(service_ + method, request);
    INFO(service_ << method << ": " << answer->text());
    REQUIRE(answer->code() == StatusCode::kOk);
    return answer->messages.at(0);
  }

  // What an answer says that must be an error.
  std::string error(const std::string& method, const std::string& request) {
    const auto answer = client_.call(service_ + method, request);
    CHECK(answer->code() != StatusCode::kOk);
    return answer->text();
  }

  StatusCode code(const std::string& method, const std::string& request) {
    const auto answer = client_.call(service_ + method, request);
    CHECK((answer->code() == StatusCode::kOk || !answer->text().empty()));
    return answer->code();
  }

 private:
  const std::string service_;
  TestClient client_;
};

}  // namespace longshore::test
