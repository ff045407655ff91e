#include "disk/api_adapter.h"

#include <string>
#include <type_traits>

#include "disk/v1.pb.h"
#include "disk/v1alpha1.pb.h"
#include "disk/v1beta1.pb.h"
#include "disk/v1beta2.pb.h"
#include "longshore/deadline.hpp"
#include "support/bulkhead.h"
#include "support/disk_number.h"
#include "support/empty_response.h"
#include "support/warning_log.h"

namespace longshore::disk {

using support::Bulkhead;
using support::empty_or;
using support::WarningLog;

namespace {

// The disk that a request names, by its number or before v1beta3 by a text. For such a text there
// is a complaint: `before`, the field, `after`.
template <typename Request>
Result<uint32_t> number_of(const Request& request, const std::string& before = "Failed to format ",
                           const std::string& after = " with err") {
  if constexpr (requires { request.disk_number(); }) {
    return request.disk_number();
  } else {
    return support::parse_disk_number(request.diskid(),
                                      before + request.GetTypeName() + ".DiskID" + after);
  }
}

// The value that a map has for a disk; before v1beta3 its keys are texts.
template <typename Map>
typename Map::mapped_type& entry_of(Map& map, uint32_t number) {
  if constexpr (std::is_same_v<typename Map::key_type, std::string>) {
    return map[std::to_string(number)];
  } else {
    return map[number];
  }
}

template <typename DiskIds>
void write(const DiskIdentity& identity, DiskIds& ids) {
  if constexpr (requires { ids.identifiers(); }) {
    (*ids.mutable_identifiers())["page83"] = identity.page83;
    (*ids.mutable_identifiers())["serialNumber"] = identity.serial_number;
  } else {
    ids.set_page83(identity.page83);
    ids.set_serial_number(identity.serial_number);
  }
}

template <typename Request>
bool is_online_in(const Request& request) {
  if constexpr (requires { request.is_online(); }) {
    return request.is_online();
  } else {
    return request.isonline();
  }
}

}  // namespace

template <typename Response, typename Request>
Result<Response> ApiAdapter::list_locations(Context, const Request&) {
  const auto locations = service_.list_locations();
  if (!locations) return locations.error();
  Response response;
  for (const auto& [number, location] : *locations) {
    auto& entry = entry_of(*response.mutable_disk_locations(), number);
    entry.set_adapter(location.adapter);
    entry.set_bus(location.bus);
    entry.set_target(location.target);
    entry.set_lunid(location.lun);
  }
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::partition(Context context, const Request& request) {
  const Result<uint32_t> number = number_of(request, "Failed to convert ", " to uint32");
  if (!number) return number.error();
  return empty_or<Response>(
      service_.partition(*number, deadline_of(context), context.request_id(), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::rescan(Context context, const Request&) {
  return empty_or<Response>(
      service_.rescan(deadline_of(context), context.request_id(), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::number_by_name(Context, const Request& request) {
  const Result<uint32_t> number = service_.number_by_name(request.disk_name());
  if (!number) return number.error();
  Response response;
  response.set_disk_number(std::to_string(*number));
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::list_ids(Context, const Request&) {
  const auto identities = service_.list_identities();
  if (!identities) return identities.error();
  Response response;
  for (const auto& [number, identity] : *identities) {
    write(identity, entry_of(*response.mutable_diskids(), number));
  }
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::stats(Context, const Request& request) {
  const Result<uint32_t> number = number_of(request);
  if (!number) return number.error();
  const Result<int64_t> total = service_.total_bytes(*number);
  if (!total) return total.error();
  Response response;
  if constexpr (requires { response.total_bytes(); }) {
    response.set_total_bytes(*total);
  } else {
    response.set_disksize(*total);
  }
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::set_state(Context context, const Request& request) {
  const Result<uint32_t> number = number_of(request);
  if (!number) return number.error();
  return empty_or<Response>(service_.set_online(*number, is_online_in(request),
                                                deadline_of(context), context.request_id(),
                                                WarningLog(context), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::state(Context context, const Request& request) {
  const Result<uint32_t> number = number_of(request);
  if (!number) return number.error();
  const Result<DiskState> state = service_.state(*number, WarningLog(context));
  if (!state) return state.error();
  Response response;
  if constexpr (requires { response.is_online(); }) {
    response.set_is_online(state->online);
  } else {
    response.set_isonline(state->online);
  }
  return response;
}

void ApiAdapter::add_to(const AddService& add_service) {
  add_with_texts(add_service);
  add_with_numbers(add_service("v1.Disk").also_as("v1beta3.Disk"));
}

// A complaint about a disk's text names the version's own message, so requests with one are not
// shared.
void ApiAdapter::add_with_texts(const AddService& add_service) {
  using namespace ::v1beta2;
  add_service("v1alpha1.Disk")
      .unary("PartitionDisk",
             &ApiAdapter::partition<PartitionDiskResponse, ::v1alpha1::PartitionDiskRequest>)
      .unary("GetDiskNumberByName",
             &ApiAdapter::number_by_name<::v1alpha1::GetDiskNumberByNameResponse,
                                         ::v1alpha1::GetDiskNumberByNameRequest>);
  add_service("v1beta1.Disk")
      .unary("PartitionDisk",
             &ApiAdapter::partition<PartitionDiskResponse, ::v1beta1::PartitionDiskRequest>)
      .unary("DiskStats", &ApiAdapter::stats<DiskStatsResponse, ::v1beta1::DiskStatsRequest>);
  add_service("v1beta2.Disk")
      .unary("PartitionDisk", &ApiAdapter::partition<PartitionDiskResponse, PartitionDiskRequest>)
      .unary("DiskStats", &ApiAdapter::stats<DiskStatsResponse, DiskStatsRequest>)
      .unary("SetAttachState",
             &ApiAdapter::set_state<SetAttachStateResponse, SetAttachStateRequest>)
      .unary("GetAttachState", &ApiAdapter::state<GetAttachStateResponse, GetAttachStateRequest>)
      .also_as("v1beta1.Disk")
      .unary("ListDiskIDs", &ApiAdapter::list_ids<ListDiskIDsResponse, ListDiskIDsRequest>)
      .also_as("v1alpha1.Disk")
      .unary("ListDiskLocations",
             &ApiAdapter::list_locations<ListDiskLocationsResponse, ListDiskLocationsRequest>)
      .unary("Rescan", &ApiAdapter::rescan<RescanResponse, RescanRequest>);
}

void ApiAdapter::add_with_numbers(Builder service) {
  using namespace ::v1;
  service
      .unary("ListDiskLocations",
             &ApiAdapter::list_locations<ListDiskLocationsResponse, ListDiskLocationsRequest>)
      .unary("PartitionDisk", &ApiAdapter::partition<PartitionDiskResponse, PartitionDiskRequest>)
      .unary("Rescan", &ApiAdapter::rescan<RescanResponse, RescanRequest>)
      .unary("ListDiskIDs", &ApiAdapter::list_ids<ListDiskIDsResponse, ListDiskIDsRequest>)
      .unary("GetDiskStats", &ApiAdapter::stats<GetDiskStatsResponse, GetDiskStatsRequest>)
      .unary("SetDiskState", &ApiAdapter::set_state<SetDiskStateResponse, SetDiskStateRequest>)
      .unary("GetDiskState", &ApiAdapter::state<GetDiskStateResponse, GetDiskStateRequest>);
}

}  // namespace longshore::disk
