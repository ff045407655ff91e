#include "disk/v1.pb.h"
#include "filesystem/v1.pb.h"
#include "smb/v1.pb.h"
#include "system/v1alpha1.pb.h"
#include "tests/drivers/wire.h"
#include "volume/v1.pb.h"

namespace longshore::test {
namespace v1_messages {

void nothing(const Arguments&, auto&) {}
void path(const Arguments& arguments, auto& request) { request.set_path(arguments.path); }
void disk(const Arguments& arguments, auto& request) { request.set_disk_number(arguments.disk); }
void volume(const Arguments& arguments, auto& request) { request.set_volume_id(arguments.volume); }
void volume_at(const Arguments& arguments, auto& request) {
  request.set_volume_id(arguments.volume);
  request.set_target_path(arguments.path);
}

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

void add_disk(Wire& wire) {
  using namespace v1;
  wire[Method::kRescan] =
      disk_method<RescanRequest, RescanResponse>("Rescan", nothing<RescanRequest>);
  wire[Method::kListDiskLocations] =
      disk_method<ListDiskLocationsRequest, ListDiskLocationsResponse>(
          "ListDiskLocations", nothing<ListDiskLocationsRequest>,
          [](const ListDiskLocationsResponse& response, Reply& reply) {
            for (const auto& [number, location] : response.disk_locations()) {
              reply.locations[number] = {location.lunid()};
            }
          });
  wire[Method::kListDiskIDs] = disk_method<ListDiskIDsRequest, ListDiskIDsResponse>(
      "ListDiskIDs", nothing<ListDiskIDsRequest>,
      [](const ListDiskIDsResponse& response, Reply& reply) {
        for (const auto& [number, ids] : response.diskids()) {
          reply.identities[number] = {ids.page83(), ids.serial_number()};
        }
      });
  wire[Method::kPartitionDisk] = disk_method<PartitionDiskRequest, PartitionDiskResponse>(
      "PartitionDisk", disk<PartitionDiskRequest>);
  for (const bool online : {true, false}) {
    wire[online ? Method::kSetDiskOnline : Method::kSetDiskOffline] =
        disk_method<SetDiskStateRequest, SetDiskStateResponse>(
            "SetDiskState", [online](const Arguments& arguments, SetDiskStateRequest& request) {
              disk(arguments, request);
              request.set_is_online(online);
            });
  }
  wire[Method::kGetDiskStats] = disk_method<GetDiskStatsRequest, GetDiskStatsResponse>(
      "GetDiskStats", disk<GetDiskStatsRequest>,
      [](const GetDiskStatsResponse& response, Reply& reply) {
        reply.total_bytes = response.total_bytes();
      });
}

void add_volume(Wire& wire) {
  using namespace v1;
  wire[Method::kListVolumesOnDisk] =
      volume_method<ListVolumesOnDiskRequest, ListVolumesOnDiskResponse>(
          "ListVolumesOnDisk", disk<ListVolumesOnDiskRequest>,
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
  wire[Method::kUnmountVolume] = volume_method<UnmountVolumeRequest, UnmountVolumeResponse>(
      "UnmountVolume", volume_at<UnmountVolumeRequest>);
  wire[Method::kResizeVolume] = volume_method<ResizeVolumeRequest, ResizeVolumeResponse>(
      "ResizeVolume", volume<ResizeVolumeRequest>);
  wire[Method::kResizeVolumeOfDisk] = volume_method<ResizeVolumeRequest, ResizeVolumeResponse>(
      "ResizeVolume", [](const Arguments& arguments, ResizeVolumeRequest& request) {
        request.set_volume_id(std::to_string(arguments.disk));
      });
  wire[Method::kGetVolumeStats] = volume_method<GetVolumeStatsRequest, GetVolumeStatsResponse>(
      "GetVolumeStats", volume<GetVolumeStatsRequest>,
      [](const GetVolumeStatsResponse& response, Reply& reply) {
        reply.total_bytes = response.total_bytes();
        reply.used_bytes = response.used_bytes();
      });
  wire[Method::kGetDiskNumberFromVolumeID] =
      volume_method<GetDiskNumberFromVolumeIDRequest, GetDiskNumberFromVolumeIDResponse>(
          "GetDiskNumberFromVolumeID", volume<GetDiskNumberFromVolumeIDRequest>,
          [](const GetDiskNumberFromVolumeIDResponse& response, Reply& reply) {
            reply.disk = response.disk_number();
          });
  wire[Method::kGetVolumeIDFromTargetPath] =
      volume_method<GetVolumeIDFromTargetPathRequest, GetVolumeIDFromTargetPathResponse>(
          "GetVolumeIDFromTargetPath",
          [](const Arguments& arguments, GetVolumeIDFromTargetPathRequest& request) {
            request.set_target_path(arguments.path);
          },
          [](const GetVolumeIDFromTargetPathResponse& response, Reply& reply) {
            reply.text = response.volume_id();
          });
  wire[Method::kWriteVolumeCache] =
      volume_method<WriteVolumeCacheRequest, WriteVolumeCacheResponse>(
          "WriteVolumeCache", volume<WriteVolumeCacheRequest>);
}

void add_filesystem(Wire& wire) {
  using namespace v1;
  wire[Method::kPathExists] = filesystem_method<PathExistsRequest, PathExistsResponse>(
      "PathExists", path<PathExistsRequest>,
      [](const PathExistsResponse& response, Reply& reply) { reply.yes = response.exists(); });
  wire[Method::kMkdir] =
      filesystem_method<MkdirRequest, MkdirResponse>("Mkdir", path<MkdirRequest>);
  wire[Method::kRmdir] = filesystem_method<RmdirRequest, RmdirResponse>(
      "Rmdir", [](const Arguments& arguments, RmdirRequest& request) {
        path(arguments, request);
        request.set_force(true);
      });
  wire[Method::kCreateSymlink] = filesystem_method<CreateSymlinkRequest, CreateSymlinkResponse>(
      "CreateSymlink", [](const Arguments& arguments, CreateSymlinkRequest& request) {
        request.set_source_path(arguments.source);
        request.set_target_path(arguments.path);
      });
  wire[Method::kIsSymlink] = filesystem_method<IsSymlinkRequest, IsSymlinkResponse>(
      "IsSymlink", path<IsSymlinkRequest>,
      [](const IsSymlinkResponse& response, Reply& reply) { reply.yes = response.is_symlink(); });
}

void add_others(Wire& wire) {
  wire[Method::kNewSmbGlobalMapping] =
      wire_method<v1::NewSmbGlobalMappingRequest, v1::NewSmbGlobalMappingResponse>(
          "smb", "Smb", "NewSmbGlobalMapping",
          [](const Arguments& arguments, v1::NewSmbGlobalMappingRequest& request) {
            request.set_remote_path(arguments.share);
            request.set_local_path(arguments.path);
            request.set_username(arguments.username);
            request.set_password(arguments.password);
          });
  wire[Method::kRemoveSmbGlobalMapping] =
      wire_method<v1::RemoveSmbGlobalMappingRequest, v1::RemoveSmbGlobalMappingResponse>(
          "smb", "Smb", "RemoveSmbGlobalMapping",
          [](const Arguments& arguments, v1::RemoveSmbGlobalMappingRequest& request) {
            request.set_remote_path(arguments.share);
          });
  wire[Method::kGetBIOSSerialNumber] =
      wire_method<v1alpha1::GetBIOSSerialNumberRequest, v1alpha1::GetBIOSSerialNumberResponse>(
          "system", "System", "GetBIOSSerialNumber", nothing<v1alpha1::GetBIOSSerialNumberRequest>,
          [](const v1alpha1::GetBIOSSerialNumberResponse& response, Reply& reply) {
            reply.text = response.serial_number();
          });
}

}  // namespace v1_messages

const Wire& v1_wire() {
  static const Wire wire = [] {
    Wire made;
    v1_messages::add_disk(made);
    v1_messages::add_volume(made);
    v1_messages::add_filesystem(made);
    v1_messages::add_others(made);
    return made;
  }();
  return wire;
}

}  // namespace longshore::test
