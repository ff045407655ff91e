// The wire versions of the smb group: from messages to the service and back.
//
// The same handlers serve all four versions; v1alpha1 and v1beta1 have a text for an error in their
// responses, which stays empty.
//
// Threads: any number at once. Owner: outlives its calls; the service outlives it.
#pragma once

#include <functional>
#include <string>

#include "longshore/service.hpp"
#include "smb/smb_service.h"

namespace longshore::smb {

class ApiAdapter {
 public:
  using Builder = ServiceBuilder<ApiAdapter>;
  using AddService = std::function<Builder(std::string name)>;

  explicit ApiAdapter(SmbService& service) : service_(service) {}

  // Registers every version's service: `add_service` is the module's, for this object.
  static void add_to(const AddService& add_service);

 private:
  // Takes the request over, so that what it holds can be wiped. It is registered as asynchronous
  // for that alone: the answer is given before it returns.
  template <typename Response, typename Request>
  void new_mapping(Context context, Request request, Reply<Response> reply);
  template <typename Response, typename Request>
  Result<Response> remove_mapping(Context context, const Request& request);

  SmbService& service_;
};

}  // namespace longshore::smb
