// The wire versions of the volume group: from messages to the service and back.
//
// The same handlers serve all six versions; what differs is the type of the messages and the names
// of methods and fields. v1alpha1, v1beta1 and v1beta2 write disk numbers in requests as texts of
// decimal digits, and a text that is no number of 32 bits is INVALID_ARGUMENT; they have no number
// of a partition, so ListVolumesOnDisk is about all.
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
  static void add_v1alpha1(Builder service);
  static void add_v1beta1(Builder service);
  static void add_v1beta2(Builder service);
  static void add_v1beta3(Builder service);
  static void add_v1(Builder service);
  static void add_v2alpha1(Builder service);

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
