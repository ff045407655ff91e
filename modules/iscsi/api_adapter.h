// The wire versions of the iscsi group: from messages to the service and back.
//
// The same handlers serve both versions, which differ in the one method that v1alpha2 has more.
// Those that get a secret get the message itself, so that no copy of the secret stays behind in it.
//
// Threads: any number at once. Owner: outlives its calls; the service outlives it.
#pragma once

#include <functional>
#include <string>

#include "iscsi/iscsi_service.h"
#include "longshore/service.hpp"

namespace longshore::iscsi {

class ApiAdapter {
 public:
  using Builder = ServiceBuilder<ApiAdapter>;
  using AddService = std::function<Builder(std::string name)>;

  explicit ApiAdapter(IscsiService& service) : service_(service) {}

  // Registers every version's service: `add_service` is the module's, for this object.
  static void add_to(const AddService& add_service);

 private:
  static void add_v1alpha1(Builder service);
  static void add_v1alpha2(Builder service);

  template <typename Response, typename Request>
  Result<Response> add_portal(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> discover(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> remove_portal(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> list_portals(Context context, const Request& request);
  template <typename Response, typename Request>
  void connect(Context context, Request request, Reply<Response> reply);
  template <typename Response, typename Request>
  Result<Response> disconnect(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> disks(Context context, const Request& request);
  template <typename Response, typename Request>
  void set_mutual_secret(Context context, Request request, Reply<Response> reply);

  IscsiService& service_;
};

}  // namespace longshore::iscsi
