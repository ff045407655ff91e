#include "core/described_object.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "core/module_answer.h"
#include "text/escape.h"

namespace longshore::core {
namespace {

using module::v1::DescribeObjectRequest;
using module::v1::DescribeObjectResponse;
using module::v1::QueuedObject;

constexpr const char* kAskFor = "ask for the object";

Error failure(StatusCode code, const std::string& reference) {
  return {code, kAskFor, text::escaped(reference.substr(0, kMaxObjectReference))};
}

std::string fit_to_read(std::string_view text) {
  return text::escaped(text.substr(0, kMaxObjectTextBytes));
}

Result<DescribeObjectRequest> request_for(const std::string& reference) {
  const size_t slash = reference.find('/');
  if (slash == 0 || slash == reference.npos || slash + 1 == reference.size()) {
    return failure(StatusCode::kInvalidArgument, reference)
        .because("it is to be <kind>/<name>, as va/csi-0a1b");
  }
  if (reference.size() > kMaxObjectReference) {
    return failure(StatusCode::kInvalidArgument, reference)
        .because("it is longer than " + std::to_string(kMaxObjectReference) + " bytes");
  }
  DescribeObjectRequest request;
  request.set_kind(reference.substr(0, slash));
  request.set_key(reference.substr(slash + 1));
  return request;
}

// The controller, if it can be asked.
Result<const ModuleEntry*> controller_named(const std::vector<ModuleEntry>& modules,
                                            const std::string& name) {
  const auto found = std::ranges::find_if(modules, [&](const ModuleEntry& entry) {
    return entry.is_controller() && entry.settings.name == name;
  });
  if (found == modules.end()) {
    return Error(StatusCode::kNotFound, "find the controller", text::escaped(name))
        .because("the agent has none of this name");
  }
  const auto cannot = [&](StatusCode code) { return Error(code, "ask the controller", name); };
  if (!found->serves()) {
    const std::string why = found->why_not();
    return cannot(StatusCode::kUnavailable)
        .because("it does not run (" + found->state() + ")" + (why.empty() ? "" : ": " + why));
  }
  if (!found->facts->description.describe_object) {
    return cannot(StatusCode::kFailedPrecondition)
        .because("it tells nothing of its objects: it does not serve longshore.module.v1.Objects");
  }
  return &*found;
}

// UNIMPLEMENTED is of agents that cannot be asked, and tells people of another socket.
StatusCode told_code(StatusCode code) {
  return code == StatusCode::kUnimplemented ? StatusCode::kFailedPrecondition : code;
}

std::string list_of(const google::protobuf::RepeatedPtrField<std::string>& kinds) {
  std::string list;
  for (const std::string& kind : kinds) list += (list.empty() ? "" : ", ") + kind;
  return list;
}

// Made fit to be passed on.
void bound(QueuedObject& object) {
  object.set_queue(fit_to_read(object.queue()));
  auto& tries = *object.mutable_last_tries();
  if (tries.size() > static_cast<int>(kMaxTriesOfObject)) {
    tries.DeleteSubrange(0, tries.size() - static_cast<int>(kMaxTriesOfObject));
  }
  for (auto& each : tries) each.set_error(fit_to_read(each.error()));
}

void bound(DescribeObjectResponse& response) {
  constexpr int kMost = kMaxQueuesOfObject;
  if (response.kinds_size() > kMost) {
    response.mutable_kinds()->DeleteSubrange(kMost, response.kinds_size() - kMost);
  }
  for (std::string& kind : *response.mutable_kinds()) kind = fit_to_read(kind);
  if (response.objects_size() > kMost) {
    response.mutable_objects()->DeleteSubrange(kMost, response.objects_size() - kMost);
  }
  for (QueuedObject& object : *response.mutable_objects()) bound(object);
}

}  // namespace

Result<DescribeObjectResponse> described_object(const std::vector<ModuleEntry>& modules,
                                                const std::string& controller,
                                                const std::string& reference,
                                                std::chrono::nanoseconds patience) {
  const auto request = request_for(reference);
  if (!request) return request.error();
  const auto entry = controller_named(modules, controller);
  if (!entry) return entry.error();
  const auto answer = std::make_shared<ModuleAnswer>();
  (*entry)->instance->ask(*(*entry)->facts->description.describe_object,
                          request->SerializeAsString(), patience, answer);
  const auto bytes = answer->wait();
  if (!bytes) {
    return failure(told_code(bytes.error().code()), reference)
        .because("the controller " + controller +
                 " gave no answer: " + fit_to_read(bytes.error().message()));
  }
  DescribeObjectResponse response;
  if (!response.ParseFromString(*bytes)) {
    return failure(StatusCode::kInternal, reference)
        .because("the controller " + controller + " answered with what is no valid message");
  }
  bound(response);
  if (!response.why_nothing().empty()) {
    return failure(StatusCode::kNotFound, reference)
        .because("the controller " + controller + " does nothing for it: it " +
                 fit_to_read(response.why_nothing()));
  }
  if (!response.objects().empty()) return response;
  const auto& kinds = response.kinds();
  if (std::ranges::find(kinds, fit_to_read(request->kind())) == kinds.end()) {
    return failure(StatusCode::kNotFound, reference)
        .because("the controller " + controller +
                 " has no such kind; its kinds are: " + list_of(kinds));
  }
  // One that reaches no API server has listed nothing, as far as anybody can tell.
  const std::string degraded = fit_to_read((*entry)->instance->figures().degraded);
  if (!degraded.empty()) {
    return failure(StatusCode::kNotFound, reference)
        .because(
            "the controller " + controller +
            " knows nothing of it, and may not have heard of all objects, as it is degraded: " +
            degraded);
  }
  return failure(StatusCode::kNotFound, reference)
      .because("the controller " + controller +
               " has nothing to do for it, and remembers no try: it never had, or long ago");
}

}  // namespace longshore::core
