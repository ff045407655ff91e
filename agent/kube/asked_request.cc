#include "kube/asked_request.h"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string>
#include <utility>

#include "kube/grants.h"
#include "longshore/host/kube.pb.h"
#include "router/parsed_request.h"

namespace longshore::kube {
namespace {

using Answer = AskedRequest::Answer;

// As long as API servers work at a request themselves.
constexpr std::chrono::seconds kPatience{60};
constexpr uint32_t kPageObjects = 500;
constexpr size_t kMostPageBytes = 64u << 20;

enum class Form { kResource, kObject, kObjectOrStatus };

Error bad_path(const std::string& path) {
  return Error(StatusCode::kInvalidArgument, "ask the API server for", path);
}

// What needs no encoding in a URL and is in no name of Kubernetes' but these.
bool is_plain(std::string_view path) {
  return std::ranges::all_of(path, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == ':' || c == '/';
  });
}

bool leads_elsewhere(const ResourcePath& path) {
  const auto parts = {path.group, path.version,  path.name_space,
                      path.name,  path.resource, path.subresource};
  return std::ranges::any_of(parts, [](const auto& part) { return part == "." || part == ".."; });
}

Result<ResourcePath> checked_path(const std::string& path, Form form) {
  auto parsed = parse_resource_path(path);
  // One with parts that are empty is not written so.
  if (!parsed || parsed->text() != path || !is_plain(path) || leads_elsewhere(*parsed)) {
    return bad_path(path)
        .because("it is not the path of a resource")
        .advise("write it as /api/v1/nodes or /apis/apps/v1/namespaces/default/replicasets/name");
  }
  if (form == Form::kResource && !parsed->name.empty()) {
    return bad_path(path)
        .because("it names an object, and the method takes a resource")
        .advise("leave the name out; a field selector \"metadata.name=...\" finds one object");
  }
  if (form != Form::kResource && parsed->name.empty()) {
    return bad_path(path).because("it names no object");
  }
  const bool may_have_status = form == Form::kObjectOrStatus && parsed->subresource == "status";
  if (!parsed->subresource.empty() && !may_have_status) {
    return bad_path(path).because("the method does not take the subresource " +
                                  parsed->subresource);
  }
  return *std::move(parsed);
}

Result<ResourcePath> allowed_path(const std::string& path, Form form,
                                  const config::ModuleSettings* controller,
                                  std::initializer_list<std::string_view> verbs) {
  auto resource = checked_path(path, form);
  if (!resource) return resource;
  for (const std::string_view verb : verbs) {
    if (resource->group.empty() && resource->resource == "secrets" &&
        (verb == "list" || verb == "watch")) {
      return Error(StatusCode::kPermissionDenied, std::string(verb), path)
          .because("secrets are neither listed nor watched, so that the agent keeps none")
          .advise("get each by its name");
    }
    if (const auto granted = check_granted(controller, verb, *resource); !granted) {
      return granted.error();
    }
  }
  return resource;
}

// Of a message that names an object or a resource and is answered with one object.
Result<AskedRequest> request_of(const std::string& path, Form form, Method method,
                                const config::ModuleSettings* controller) {
  auto resource = allowed_path(path, form, controller, {verb_of(method, path)});
  if (!resource) return std::move(resource).error();
  AskedRequest asked;
  asked.resource = *std::move(resource);
  asked.request.method = method;
  asked.request.path = path;
  return asked;
}

Result<AskedRequest> asked_get(const host::v1::KubeGetRequest& message,
                               const config::ModuleSettings* controller) {
  return request_of(message.path(), Form::kObjectOrStatus, Method::kGet, controller);
}

Result<AskedRequest> asked_list(const host::v1::KubeListRequest& message,
                                const config::ModuleSettings* controller) {
  auto asked = request_of(message.path(), Form::kResource, Method::kGet, controller);
  if (!asked) return asked;
  asked->answer = Answer::kPage;
  asked->request.max_response_bytes = kMostPageBytes;
  const uint32_t limit = message.limit() == 0 ? kPageObjects : message.limit();
  for (const auto& [name, value] : {std::pair("limit", std::to_string(limit)),
                                    {"labelSelector", message.label_selector()},
                                    {"fieldSelector", message.field_selector()},
                                    {"continue", message.page_token()}}) {
    if (!value.empty()) asked->request.query.emplace_back(name, value);
  }
  return asked;
}

Result<AskedRequest> asked_watch(const host::v1::KubeWatchRequest& message,
                                 const config::ModuleSettings* controller) {
  auto resource = allowed_path(message.path(), Form::kResource, controller, {"list", "watch"});
  if (!resource) return std::move(resource).error();
  auto fields = FieldMask::make({message.fields().begin(), message.fields().end()});
  if (!fields) return std::move(fields).error();
  AskedRequest asked;
  asked.answer = Answer::kWatch;
  asked.fields = *std::move(fields);
  asked.resource = *std::move(resource);
  asked.selection = {message.path(), message.label_selector(), message.field_selector()};
  return asked;
}

Result<AskedRequest> asked_create(host::v1::KubeCreateRequest message,
                                  const config::ModuleSettings* controller) {
  auto asked = request_of(message.path(), Form::kResource, Method::kPost, controller);
  if (asked) asked->request.body = std::move(*message.mutable_object());
  return asked;
}

Result<AskedRequest> asked_update(host::v1::KubeUpdateRequest message,
                                  const config::ModuleSettings* controller) {
  auto asked = request_of(message.path(), Form::kObjectOrStatus, Method::kPut, controller);
  if (asked) asked->request.body = std::move(*message.mutable_object());
  return asked;
}

Result<AskedRequest> asked_patch(host::v1::KubePatchRequest message,
                                 const config::ModuleSettings* controller) {
  using Message = host::v1::KubePatchRequest;
  auto asked = request_of(message.path(), Form::kObjectOrStatus, Method::kPatch, controller);
  if (!asked) return asked;
  if (message.type() == Message::TYPE_MERGE) {
    asked->request.content_type = "application/merge-patch+json";
  } else if (message.type() == Message::TYPE_STRATEGIC_MERGE) {
    asked->request.content_type = "application/strategic-merge-patch+json";
  } else if (message.type() == Message::TYPE_JSON) {
    asked->request.content_type = "application/json-patch+json";
  } else {
    return Error(StatusCode::kInvalidArgument, "patch", message.path())
        .because("its type is none of TYPE_MERGE, TYPE_STRATEGIC_MERGE and TYPE_JSON");
  }
  asked->request.body = std::move(*message.mutable_patch());
  return asked;
}

Result<AskedRequest> asked_delete(const host::v1::KubeDeleteRequest& message,
                                  const config::ModuleSettings* controller) {
  auto asked = request_of(message.path(), Form::kObject, Method::kDelete, controller);
  if (asked) asked->answer = Answer::kNothing;
  return asked;
}

template <typename Message>
Result<AskedRequest> read(const router::Call& call, const config::ModuleSettings* controller,
                          Result<AskedRequest> (*asked)(Message, const config::ModuleSettings*)) {
  auto message = router::parsed_request<std::remove_cvref_t<Message>>(call.request());
  if (!message) return std::move(message).error();
  return asked(*std::move(message), controller);
}

Result<AskedRequest> read_any(const router::Call& call, const config::ModuleSettings* controller) {
  const std::string& method = call.method().name;
  if (method == "Get") return read(call, controller, &asked_get);
  if (method == "List") return read(call, controller, &asked_list);
  if (method == "Watch") return read(call, controller, &asked_watch);
  if (method == "Create") return read(call, controller, &asked_create);
  if (method == "Update") return read(call, controller, &asked_update);
  if (method == "Patch") return read(call, controller, &asked_patch);
  return read(call, controller, &asked_delete);
}

}  // namespace

Result<AskedRequest> asked_request(const router::Call& call,
                                   const config::ModuleSettings* controller) {
  auto asked = read_any(call, controller);
  if (asked) {
    if (controller != nullptr) asked->lease = wanted_lease(*controller);
    asked->request.deadline =
        std::min(call.deadline(), std::chrono::steady_clock::now() + kPatience);
  }
  return asked;
}

}  // namespace longshore::kube
