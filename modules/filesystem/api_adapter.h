// The wire versions of the filesystem group: from messages to the service and back.
//
// There are two families of messages, and the same handlers serve both. v1alpha1 and v1beta1 are
// the same on the wire; their `PathContext` and `error` fields are neither read nor filled, as
// csi-proxy does since its 1.0. v1beta2 and v1 are the same, two methods have other names there,
// and v2alpha1 adds to them; only there making a link again succeeds.
//
// Threads: any number at once. Owner: outlives its calls; the service outlives it.
#pragma once

#include <functional>
#include <string>

#include "filesystem/filesystem_service.h"
#include "longshore/service.hpp"

namespace longshore::filesystem {

class ApiAdapter {
 public:
  using Builder = ServiceBuilder<ApiAdapter>;
  using AddService = std::function<Builder(std::string name)>;

  explicit ApiAdapter(const FilesystemService& service) : service_(service) {}

  // Registers every version's service: `add_service` is the module's, for this object.
  static void add_to(const AddService& add_service);

 private:
  static void add_with_contexts(Builder service);
  static void add_without_contexts(const AddService& add_service);

  template <typename Response, typename Request>
  Result<Response> path_exists(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> mkdir(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> rmdir(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> rmdir_contents(Context context, const Request& request);
  template <typename Response, SameLink same_link, typename Request>
  Result<Response> create_symlink(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> is_symlink(Context context, const Request& request);
  template <typename Response, typename Request>
  Result<Response> is_mount_point(Context context, const Request& request);

  const FilesystemService& service_;
};

}  // namespace longshore::filesystem
