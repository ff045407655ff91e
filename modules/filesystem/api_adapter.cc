#include "filesystem/api_adapter.h"

#include "filesystem/nested_volume_group.h"
#include "filesystem/v1beta1.pb.h"
#include "filesystem/v2alpha1.pb.h"
#include "longshore/deadline.hpp"
#include "support/bulkhead.h"
#include "support/empty_response.h"

namespace longshore::filesystem {
using support::Bulkhead;
using support::empty_or;

template <typename Response, typename Request>
Result<Response> ApiAdapter::path_exists(Context context, const Request& request) {
  const Result<bool> exists = service_.path_exists(request.path(), Bulkhead(context));
  if (!exists) return exists.error();
  Response response;
  response.set_exists(*exists);
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::mkdir(Context context, const Request& request) {
  return empty_or<Response>(service_.make_directory(request.path(), Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::rmdir(Context context, const Request& request) {
  NestedVolumeGroup volumes(context);
  return empty_or<Response>(service_.remove_directory(
      request.path(), request.force(), deadline_of(context), Bulkhead(context), &volumes));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::rmdir_contents(Context context, const Request& request) {
  return empty_or<Response>(
      service_.remove_contents(request.path(), deadline_of(context), Bulkhead(context)));
}

template <typename Response, SameLink same_link, typename Request>
Result<Response> ApiAdapter::create_symlink(Context context, const Request& request) {
  return empty_or<Response>(service_.create_link(request.source_path(), request.target_path(),
                                                 same_link, Bulkhead(context)));
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::is_symlink(Context context, const Request& request) {
  const Result<bool> answer = service_.is_link_or_mount_point(request.path(), Bulkhead(context));
  if (!answer) return answer.error();
  Response response;
  response.set_is_symlink(*answer);
  return response;
}

template <typename Response, typename Request>
Result<Response> ApiAdapter::is_mount_point(Context context, const Request& request) {
  const Result<bool> answer = service_.is_link_or_mount_point(request.path(), Bulkhead(context));
  if (!answer) return answer.error();
  Response response;
  response.set_is_mount_point(*answer);
  return response;
}

void ApiAdapter::add_to(const AddService& add_service) {
  add_with_contexts(add_service("v1beta1.Filesystem").also_as("v1alpha1.Filesystem"));
  add_without_contexts(add_service);
}

void ApiAdapter::add_with_contexts(Builder service) {
  using namespace ::v1beta1;
  service.unary("PathExists", &ApiAdapter::path_exists<PathExistsResponse, PathExistsRequest>)
      .unary("Mkdir", &ApiAdapter::mkdir<MkdirResponse, MkdirRequest>)
      .unary("Rmdir", &ApiAdapter::rmdir<RmdirResponse, RmdirRequest>)
      .unary("LinkPath",
             &ApiAdapter::create_symlink<LinkPathResponse, SameLink::kIsError, LinkPathRequest>)
      .unary("IsMountPoint",
             &ApiAdapter::is_mount_point<IsMountPointResponse, IsMountPointRequest>);
}

void ApiAdapter::add_without_contexts(const AddService& add_service) {
  using namespace ::v2alpha1;
  add_service("v1.Filesystem")
      .also_as("v1beta2.Filesystem")
      .unary("CreateSymlink", &ApiAdapter::create_symlink<CreateSymlinkResponse, SameLink::kIsError,
                                                          CreateSymlinkRequest>);
  add_service("v2alpha1.Filesystem")
      .unary("CreateSymlink",
             &ApiAdapter::create_symlink<CreateSymlinkResponse, SameLink::kIsSuccess,
                                         CreateSymlinkRequest>)
      .unary("RmdirContents",
             &ApiAdapter::rmdir_contents<RmdirContentsResponse, RmdirContentsRequest>)
      .also_as("v1.Filesystem")
      .also_as("v1beta2.Filesystem")
      .unary("PathExists", &ApiAdapter::path_exists<PathExistsResponse, PathExistsRequest>)
      .unary("Mkdir", &ApiAdapter::mkdir<MkdirResponse, MkdirRequest>)
      .unary("Rmdir", &ApiAdapter::rmdir<RmdirResponse, RmdirRequest>)
      .unary("IsSymlink", &ApiAdapter::is_symlink<IsSymlinkResponse, IsSymlinkRequest>);
}

}  // namespace longshore::filesystem
