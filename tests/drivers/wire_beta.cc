// The messages of volume v1beta1 are those of v1beta2, but for WriteVolumeCache, which it lacks.
#include "disk/v1beta2.pb.h"
#include "filesystem/v1beta1.pb.h"
#include "smb/v1beta1.pb.h"
#include "tests/drivers/wire.h"
#include "volume/v1beta2.pb.h"

namespace longshore::test {
namespace beta_messages {

void nothing(const Arguments&, auto&) {}
void disk(const Arguments& arguments, auto& request) {
  request.set_diskid(std::to_string(arguments.disk));
}
void volume(const Arguments& arguments, auto& request) { request.set_volume_id(arguments.volume); }
void volume_at(const Arguments& arguments, auto& request) {
  request.set_volume_id(arguments.volume);
  request.set_path(arguments.path);
}
// A response of these versions has an error of its own, which the agent leaves empty: LinkPath's is
// looked at by GCP PD's driver.
void error_field(const auto& response, Reply& reply) { reply.error = response.error(); }

template <typename Request, typename Response>
WireMethod disk_method(
    std::string name, std::function<void(const Arguments&, Request&)> fill,
    std::function<void(const Response&, Reply&)> read = [](auto&, auto&) {}) {
  return wire_method<Request, Response>("disk", "Disk", std::move(name), std::move(fill),
                                        std::move(read));
}

template <typename Request, typename Response>
WireMethod volume_method(
    std::string name, std::function<void(const Arguments&, Request&)> fill,
    std::function<void(const Response&, Reply&)> read = [](auto&, auto&) {}) {
  return wire_method<Request, Response>("volume", "Volume", std::move(name), std::move(fill),
                                        std::move(read));
}

template <typename Request, typename Response>
WireMethod filesystem_method(
    std::string name, std::function<void(const Arguments&, Request&)> fill,
    std::function<void(const Response&, Reply&)> read = [](auto&, auto&) {}) {
  return wire_method<Request, Response>("filesystem", "Filesystem", std::move(name),
                                        std::move(fill), std::move(read));
}

uint32_t number_of(const std::string& id) { return static_cast<uint32_t>(std::stoul(id)); }

std::string identifier(const v1beta2::DiskIDs& ids, const std::string& key) {
  const auto found = ids.identifiers().find(key);
  return found == ids.identifiers().end() ? "" : found->second;
}

void add_disk(Wire& wire) {
  using namespace v1beta2;
  wire[Method::kRescan] =
      disk_method<RescanRequest, RescanResponse>("Rescan", nothing<RescanRequest>);
  wire[Method::kListDiskLocations] =
      disk_method<ListDiskLocationsRequest, ListDiskLocationsResponse>(
          "ListDiskLocations", nothing<ListDiskLocationsRequest>,
          [](const ListDiskLocationsResponse& response, Reply& reply) {
            for (const auto& [id, location] : response.disk_locations()) {
              reply.locations[number_of(id)] = {location.lunid()};
            }
          });
  wire[Method::kListDiskIDs] = disk_method<ListDiskIDsRequest, ListDiskIDsResponse>(
      "ListDiskIDs", nothing<ListDiskIDsRequest>,
      [](const ListDiskIDsResponse& response, Reply& reply) {
        for (const auto& [id, ids] : response.diskids()) {
          reply.identities[number_of(id)] = {identifier(ids, "page83"),
                                             identifier(ids, "serialNumber")};
        }
      });
  wire[Method::kPartitionDisk] = disk_method<PartitionDiskRequest, PartitionDiskResponse>(
      "PartitionDisk", disk<PartitionDiskRequest>);
  for (const bool online : {true, false}) {
    wire[online ? Method::kSetDiskOnline : Method::kSetDiskOffline] =
        disk_method<SetAttachStateRequest, SetAttachStateResponse>(
            "SetAttachState", [online](const Arguments& arguments, SetAttachStateRequest& request) {
              disk(arguments, request);
              request.set_isonline(online);
            });
  }
  wire[Method::kGetDiskStats] = disk_method<DiskStatsRequest, DiskStatsResponse>(
      "DiskStats", disk<DiskStatsRequest>, [](const DiskStatsResponse& response, Reply& reply) {
        reply.total_bytes = response.disksize();
      });
}

void add_volume(Wire& wire) {
  using namespace v1beta2;
  wire[Method::kListVolumesOnDisk] =
      volume_method<ListVolumesOnDiskRequest, ListVolumesOnDiskResponse>(
          "ListVolumesOnDisk",
          [](const Arguments& arguments, ListVolumesOnDiskRequest& request) {
            request.set_disk_id(std::to_string(arguments.disk));
          },
          [](const ListVolumesOnDiskResponse& response, Reply& reply) {
            reply.ids.assign(response.volume_ids().begin(), response.volume_ids().end());
          });
  wire[Method::kIsVolumeFormatted] =
      volume_method<IsVolumeFormattedRequest, IsVolumeFormattedResponse>(
          "IsVolumeFormatted", volume<IsVolumeFormattedRequest>,
          [](const IsVolumeFormattedResponse& response, Reply& reply) {
            reply.yes = response.formatted();
          });
  wire[Method::kFormatVolume] = volume_method<FormatVolumeRequest, FormatVolumeResponse>(
      "FormatVolume", volume<FormatVolumeRequest>);
  wire[Method::kMountVolume] = volume_method<MountVolumeRequest, MountVolumeResponse>(
      "MountVolume", volume_at<MountVolumeRequest>);
  wire[Method::kUnmountVolume] = volume_method<DismountVolumeRequest, DismountVolumeResponse>(
      "DismountVolume", volume_at<DismountVolumeRequest>);
  wire[Method::kResizeVolume] = volume_method<ResizeVolumeRequest, ResizeVolumeResponse>(
      "ResizeVolume", volume<ResizeVolumeRequest>);
  wire[Method::kResizeVolumeOfDisk] = volume_method<ResizeVolumeRequest, ResizeVolumeResponse>(
      "ResizeVolume", [](const Arguments& arguments, ResizeVolumeRequest& request) {
        request.set_volume_id(std::to_string(arguments.disk));
      });
  wire[Method::kGetVolumeStats] = volume_method<VolumeStatsRequest, VolumeStatsResponse>(
      "VolumeStats", volume<VolumeStatsRequest>,
      [](const VolumeStatsResponse& response, Reply& reply) {
        reply.total_bytes = response.volumesize();
        reply.used_bytes = response.volumeusedsize();
      });
  wire[Method::kGetDiskNumberFromVolumeID] =
      volume_method<VolumeDiskNumberRequest, VolumeDiskNumberResponse>(
          "GetVolumeDiskNumber", volume<VolumeDiskNumberRequest>,
          [](const VolumeDiskNumberResponse& response, Reply& reply) {
            reply.disk = static_cast<uint32_t>(response.disknumber());
          });
  wire[Method::kGetVolumeIDFromTargetPath] =
      volume_method<VolumeIDFromMountRequest, VolumeIDFromMountResponse>(
          "GetVolumeIDFromMount",
          [](const Arguments& arguments, VolumeIDFromMountRequest& request) {
            request.set_mount(arguments.path);
          },
          [](const VolumeIDFromMountResponse& response, Reply& reply) {
            reply.text = response.volume_id();
          });
  wire[Method::kWriteVolumeCache] =
      volume_method<WriteVolumeCacheRequest, WriteVolumeCacheResponse>(
          "WriteVolumeCache", volume<WriteVolumeCacheRequest>);
}

void add_filesystem(Wire& wire) {
  using namespace v1beta1;
  // As the drivers choose the context: folders of pods are removed, folders of plugins made.
  wire[Method::kPathExists] = filesystem_method<PathExistsRequest, PathExistsResponse>(
      "PathExists",
      [](const Arguments& arguments, PathExistsRequest& request) {
        request.set_path(arguments.path);
      },
      [](const PathExistsResponse& response, Reply& reply) { reply.yes = response.exists(); });
  wire[Method::kMkdir] = filesystem_method<MkdirRequest, MkdirResponse>(
      "Mkdir",
      [](const Arguments& arguments, MkdirRequest& request) {
        request.set_path(arguments.path);
        request.set_context(PLUGIN);
      },
      error_field<MkdirResponse>);
  wire[Method::kRmdir] = filesystem_method<RmdirRequest, RmdirResponse>(
      "Rmdir",
      [](const Arguments& arguments, RmdirRequest& request) {
        request.set_path(arguments.path);
        request.set_context(POD);
        request.set_force(true);
      },
      error_field<RmdirResponse>);
  wire[Method::kCreateSymlink] = filesystem_method<LinkPathRequest, LinkPathResponse>(
      "LinkPath",
      [](const Arguments& arguments, LinkPathRequest& request) {
        request.set_source_path(arguments.source);
        request.set_target_path(arguments.path);
      },
      error_field<LinkPathResponse>);
  wire[Method::kIsSymlink] = filesystem_method<IsMountPointRequest, IsMountPointResponse>(
      "IsMountPoint",
      [](const Arguments& arguments, IsMountPointRequest& request) {
        request.set_path(arguments.path);
      },
      [](const IsMountPointResponse& response, Reply& reply) {
        reply.yes = response.is_mount_point();
      });
}

void add_smb(Wire& wire) {
  wire[Method::kNewSmbGlobalMapping] =
      wire_method<v1beta1::NewSmbGlobalMappingRequest, v1beta1::NewSmbGlobalMappingResponse>(
          "smb", "Smb", "NewSmbGlobalMapping",
          [](const Arguments& arguments, v1beta1::NewSmbGlobalMappingRequest& request) {
            request.set_remote_path(arguments.share);
            request.set_local_path(arguments.path);
            request.set_username(arguments.username);
            request.set_password(arguments.password);
          });
}

}  // namespace beta_messages

const Wire& beta_wire() {
  static const Wire wire = [] {
    Wire made;
    beta_messages::add_disk(made);
    beta_messages::add_volume(made);
    beta_messages::add_filesystem(made);
    beta_messages::add_smb(made);
    return made;
  }();
  return wire;
}

}  // namespace longshore::test
