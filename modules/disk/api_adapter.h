// The wire versions of the disk group: from messages to the service and back.
//
// There are two families of messages, and the same handlers serve both. v1beta3 and v1 are the same
// on the wire. v1alpha1, v1beta1 and v1beta2 each add to the one before; they write disk numbers as
// texts of decimal digits, in requests and as keys of maps; a text that is no number of 32 bits is
// INVALID_ARGUMENT (csi-proxy cuts it to 32 bits, and so acts on another disk). v1beta1 and v1beta2
// have a disk's identifiers as a map, which always holds "page83" and "serialNumber".
//
// Threads: any number at once. Owner: outlives its calls; the service outlives it.
#pragma once

#include <functional>
#include <string>

#include "disk/disk_service.h"
#include "longshore/service.hpp"

namespace longshore::disk {

class ApiAdapter {
 public:
  using Builder = ServiceBuilder<ApiAdapter>;
  using AddService = std::function<Builder(std::string name)>;

  explicit ApiAdapter(DiskService& service) : service_(service) {}

  // Registers every version's service: `add_service` is the module's, for this object.
  static void add_to(const AddService& add_service);

 private:
  static void add_with_texts(const AddService& add_service);
  static void add_with_numbers(Builder service);

  template <typename Response, typename Request>
  Result<Response> list_locations(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> partition(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> rescan(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> number_by_name(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> list_ids(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> stats(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> set_state(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> state(Context context, const Request& request);

  DiskService& service_;
};

}  // namespace longshore::disk
