// The wire versions of the volume group: from messages to the service and back.
//
// There are two families of messages, which differ in the names of methods and fields, and the same
// handlers serve both. v1beta3 and v1 are the same on the wire, and v2alpha1 adds to them.
// v1alpha1, v1beta1 and v1beta2 each add to the one before; they write disk numbers in requests as
// texts of decimal digits, and a text that is no number of 32 bits is INVALID_ARGUMENT; they have
// no number of a partition, so ListVolumesOnDisk is about all.
//
// Threads: any number at once. Owner: outlives its calls; the service outlives it.
#pragma once

#include <functional>
#include <string>

#include "longshore/service.hpp"
#include "volume/volume_service.h"

namespace longshore::volume {

class ApiAdapter {
 public:
  using Builder = ServiceBuilder<ApiAdapter>;
  using AddService = std::function<Builder(std::string name)>;

  explicit ApiAdapter(VolumeService& service) : service_(service) {}

  // Registers every version's service: `add_service` is the module's, for this object.
  static void add_to(const AddService& add_service);

 private:
  static void add_with_texts(const AddService& add_service);
  static void add_with_numbers(const AddService& add_service);

  template <typename Response, typename Request>
  Result<Response> list(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> mount(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> unmount(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> is_formatted(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> format(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> resize(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> stats(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> disk_number(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> id_of_mount_point(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> closest_id(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> flush(Context context, const Request& request);

  VolumeService& service_;
};

}  // namespace longshore::volume
