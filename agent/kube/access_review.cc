#include "kube/access_review.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "kube/raw_json.h"

namespace longshore::kube {

Request access_review(std::string_view verb, const ResourcePath& resource) {
  boost::json::object attributes{
      {"verb", verb}, {"group", resource.group}, {"resource", resource.resource}};
  if (!resource.subresource.empty()) attributes["subresource"] = resource.subresource;
  if (!resource.name_space.empty()) attributes["namespace"] = resource.name_space;
  Request request;
  request.method = Method::kPost;
  request.path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  request.body = boost::json::serialize(
      boost::json::object{{"apiVersion", "authorization.k8s.io/v1"},
                          {"kind", "SelfSubjectAccessReview"},
                          {"spec", {{"resourceAttributes", std::move(attributes)}}}});
  return request;
}

Result<Access> parse_access(std::string_view body) {
  const auto status =
      json_members(is_json(body) ? json_member(json_members(body), "status") : std::string_view());
  const std::string_view allowed = json_member(status, "allowed");
  if (allowed != "true" && allowed != "false") {
    return Error(StatusCode::kDataLoss, "read the access review")
        .because("the server's answer does not say whether it is allowed");
  }
  Access access;
  access.is_allowed = allowed == "true";
  // Where something is amiss with the roles themselves it says more.
  for (const char* const member : {"evaluationError", "reason"}) {
    access.reason = json_string(json_member(status, member)).value_or("");
    if (!access.reason.empty()) break;
  }
  return access;
}

}  // namespace longshore::kube
