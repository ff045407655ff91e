// The Kubernetes API server, as the attacher asks it.
//
// Threads: any, but those that completions run on. Owner: the attacher.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "longshore/awaited_calls.hpp"
#include "longshore/host/kube.pb.h"
#include "longshore/result.hpp"
#include "patch.h"
#include "support/secret_data.h"

namespace longshore::external_attacher {

class ApiServer {
 public:
  explicit ApiServer(AwaitedCalls& calls) : calls_(calls) {}

  // Answers the object as it is now, as JSON. ABORTED, INVALID_ARGUMENT: it has changed meanwhile.
  Result<std::string> write(const Patch& patch) {
    using Request = host::v1::KubePatchRequest;
    Request request;
    request.set_path(patch.path);
    request.set_type(patch.type == Patch::Type::kJson ? Request::TYPE_JSON : Request::TYPE_MERGE);
    request.set_patch(patch.body);
    auto object = calls_.call<host::v1::KubeObject>("longshore.host.v1.Kube/Patch", request);
    if (!object) return std::move(object).error();
    return std::move(*object->mutable_object());
  }

  // Asked each time, and never kept.
  Result<std::map<std::string, Secret>> secret_data(const plugins::SecretReference& reference) {
    auto path = plugins::secret_path(reference);
    if (!path) return std::move(path).error();
    host::v1::KubeGetRequest request;
    request.set_path(*std::move(path));
    auto object = calls_.call<host::v1::KubeObject>("longshore.host.v1.Kube/Get", request);
    if (!object) return std::move(object).error();
    auto data = plugins::parse_secret_data(object->object());
    wipe(*object->mutable_object());
    return data;
  }

 private:
  AwaitedCalls& calls_;
};

}  // namespace longshore::external_attacher
