#include "volume/api_adapter.h"

#include <algorithm>
#include <limits>

#include "longshore/deadline.hpp"
#include "support/bulkhead.h"
#include "support/disk_number.h"
#include "support/empty_response.h"
#include "support/warning_log.h"
#include "volume/v1alpha1.pb.h"
#include "volume/v1beta1.pb.h"
#include "volume/v1beta2.pb.h"
#include "volume/v2alpha1.pb.h"

namespace longshore::volume {
using support::Bulkhead;
using support::empty_or;
using support::WarningLog;

namespace {

template <typename Response>
Result<Response> id_or(const Result<std::string>& id) {
  if (!id) return id.error();
  Response response;
  response.set_volume_id(*id);
  return response;
}

template <typename Request>
const std::string& path_in(const Request& request) {
  if constexpr (requires { request.target_path(); }) {
    return request.target_path();
  } else if constexpr (requires { request.path(); }) {
    return request.path();
  } else {
    return request.mount();
  }
}

}  // namespace

template <typename Response, typename Request>
Result<Response> ApiAdapter::list(Context context, const Request& request) {
  Result<std::vector<std::string>> ids = std::vector<std::string>();
  if constexpr (requires { request.disk_number(); }) {
    ids = service_.list(request.disk_number(), request.partition_number(), deadline_of(context),
                        Bulkhead(context));
  } else {
    const Result<uint32_t> disk_number = support::parse_disk_number(
        request.disk_id(), "Failed to parse diskId: " + request.GetTypeName() + ".disk_id");
    if (!disk_number) return disk_number.error();
    ids = service_.list(*disk_number, 0, deadline_of(context), Bulkhead(context));
  }
  if (!ids) return std::move(ids).error();
  Response response;
  response.mutable_volume_ids()->Add(ids->begin(), ids->end());
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::mount(Context context, const Request& request) {
  return empty_or<Response>(service_.mount(request.volume_id(), path_in(request),
                                           deadline_of(context), context.request_id(),
                                           WarningLog(context), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::unmount(Context context, const Request& request) {
  return empty_or<Response>(service_.unmount(request.volume_id(), path_in(request),
                                             deadline_of(context), context.request_id(),
                                             WarningLog(context), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::is_formatted(Context context, const Request& request) {
  const Result<bool> formatted = service_.is_formatted(request.volume_id(), Bulkhead(context));
  if (!formatted) return formatted.error();
  Response response;
  response.set_formatted(*formatted);
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::format(Context context, const Request& request) {
  return empty_or<Response>(service_.format(request.volume_id(), deadline_of(context),
                                            context.request_id(), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::resize(Context context, const Request& request) {
  int64_t size = 0;
  if constexpr (requires { request.size_bytes(); }) {
    size = request.size_bytes();
  } else {
    size = request.size();
  }
  return empty_or<Response>(service_.resize(request.volume_id(), size, deadline_of(context),
                                            context.request_id(), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::stats(Context context, const Request& request) {
  const Result<VolumeStats> stats = service_.stats(request.volume_id(), Bulkhead(context));
  if (!stats) return stats.error();
  if (std::max(stats->total, stats->used) > uint64_t{std::numeric_limits<int64_t>::max()}) {
    return Error(StatusCode::kInternal, "tell the size of the volume", request.volume_id())
        .because("its filesystem, damaged perhaps, claims more bytes than the answer can hold");
  }
  Response response;
  const auto total = static_cast<int64_t>(stats->total);
  const auto used = static_cast<int64_t>(stats->used);
  if constexpr (requires { response.total_bytes(); }) {
    response.set_total_bytes(total);
    response.set_used_bytes(used);
  } else {
    response.set_volumesize(total);
    response.set_volumeusedsize(used);
  }
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::disk_number(Context, const Request& request) {
  const Result<uint32_t> number = service_.disk_number_of(request.volume_id());
  if (!number) return number.error();
  Response response;
  if constexpr (requires { response.disk_number(); }) {
    response.set_disk_number(*number);
  } else {
    response.set_disknumber(*number);
  }
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::id_of_mount_point(Context context, const Request& request) {
  return id_or<Response>(service_.id_of_mount_point(path_in(request), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::closest_id(Context context, const Request& request) {
  return id_or<Response>(service_.closest_id(request.target_path(), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::flush(Context context, const Request& request) {
  return empty_or<Response>(
      service_.flush(request.volume_id(), WarningLog(context), Bulkhead(context)));
}

void ApiAdapter::add_to(const AddService& add_service) {
  add_with_texts(add_service);
  add_with_numbers(add_service);
}

// A complaint about a disk's text names the version's own message, so that request is not shared.
void ApiAdapter::add_with_texts(const AddService& add_service) {
  using namespace ::v1beta2;
  add_service("v1alpha1.Volume")
      .unary("ListVolumesOnDisk",
             &ApiAdapter::list<ListVolumesOnDiskResponse, ::v1alpha1::ListVolumesOnDiskRequest>);
  add_service("v1beta1.Volume")
      .unary("ListVolumesOnDisk",
             &ApiAdapter::list<ListVolumesOnDiskResponse, ::v1beta1::ListVolumesOnDiskRequest>);
  add_service("v1beta2.Volume")
      .unary("ListVolumesOnDisk",
             &ApiAdapter::list<ListVolumesOnDiskResponse, ListVolumesOnDiskRequest>)
      .unary("WriteVolumeCache",
             &ApiAdapter::flush<WriteVolumeCacheResponse, WriteVolumeCacheRequest>)
      .also_as("v1beta1.Volume")
      .unary("VolumeStats", &ApiAdapter::stats<VolumeStatsResponse, VolumeStatsRequest>)
      .unary("GetVolumeDiskNumber",
             &ApiAdapter::disk_number<VolumeDiskNumberResponse, VolumeDiskNumberRequest>)
      .unary("GetVolumeIDFromMount",
             &ApiAdapter::id_of_mount_point<VolumeIDFromMountResponse, VolumeIDFromMountRequest>)
      .also_as("v1alpha1.Volume")
      .unary("MountVolume", &ApiAdapter::mount<MountVolumeResponse, MountVolumeRequest>)
      .unary("DismountVolume", &ApiAdapter::unmount<DismountVolumeResponse, DismountVolumeRequest>)
      .unary("IsVolumeFormatted",
             &ApiAdapter::is_formatted<IsVolumeFormattedResponse, IsVolumeFormattedRequest>)
      .unary("FormatVolume", &ApiAdapter::format<FormatVolumeResponse, FormatVolumeRequest>)
      .unary("ResizeVolume", &ApiAdapter::resize<ResizeVolumeResponse, ResizeVolumeRequest>);
}

void ApiAdapter::add_with_numbers(const AddService& add_service) {
  using namespace ::v2alpha1;
  add_service("v2alpha1.Volume")
      .unary("GetClosestVolumeIDFromTargetPath",
             &ApiAdapter::closest_id<GetClosestVolumeIDFromTargetPathResponse,
                                     GetClosestVolumeIDFromTargetPathRequest>)
      .also_as("v1.Volume")
      .also_as("v1beta3.Volume")
      .unary("ListVolumesOnDisk",
             &ApiAdapter::list<ListVolumesOnDiskResponse, ListVolumesOnDiskRequest>)
      .unary("MountVolume", &ApiAdapter::mount<MountVolumeResponse, MountVolumeRequest>)
      .unary("UnmountVolume", &ApiAdapter::unmount<UnmountVolumeResponse, UnmountVolumeRequest>)
      .unary("IsVolumeFormatted",
             &ApiAdapter::is_formatted<IsVolumeFormattedResponse, IsVolumeFormattedRequest>)
      .unary("FormatVolume", &ApiAdapter::format<FormatVolumeResponse, FormatVolumeRequest>)
      .unary("ResizeVolume", &ApiAdapter::resize<ResizeVolumeResponse, ResizeVolumeRequest>)
      .unary("GetVolumeStats", &ApiAdapter::stats<GetVolumeStatsResponse, GetVolumeStatsRequest>)
      .unary("GetDiskNumberFromVolumeID",
             &ApiAdapter::disk_number<GetDiskNumberFromVolumeIDResponse,
                                      GetDiskNumberFromVolumeIDRequest>)
      .unary("GetVolumeIDFromTargetPath",
             &ApiAdapter::id_of_mount_point<GetVolumeIDFromTargetPathResponse,
                                            GetVolumeIDFromTargetPathRequest>)
      .unary("WriteVolumeCache",
             &ApiAdapter::flush<WriteVolumeCacheResponse, WriteVolumeCacheRequest>);
}

}  // namespace longshore::volume
