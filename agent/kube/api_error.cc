#include "kube/api_error.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>

#include "kube/resource_path.h"
#include "text/escape.h"

namespace longshore::kube {
namespace {

namespace json = boost::json;

// A message is for people; Invalid repeats what was sent, whatever its size.
constexpr size_t kMostMessageBytes = 4096;
constexpr size_t kMostForeignBytes = 200;
constexpr size_t kDepth = 32;

struct Meaning {
  std::string_view name;  // metav1's
  int http_status;
  ApiReason reason;
  StatusCode code;
};

constexpr Meaning kMeanings[] = {
    {"Unauthorized", 401, ApiReason::kUnauthorized, StatusCode::kUnauthenticated},
    {"Forbidden", 403, ApiReason::kForbidden, StatusCode::kPermissionDenied},
    {"NotFound", 404, ApiReason::kNotFound, StatusCode::kNotFound},
    {"AlreadyExists", 0, ApiReason::kAlreadyExists, StatusCode::kAlreadyExists},
    {"Conflict", 409, ApiReason::kConflict, StatusCode::kAborted},
    {"Gone", 0, ApiReason::kExpired, StatusCode::kOutOfRange},
    {"Expired", 410, ApiReason::kExpired, StatusCode::kOutOfRange},
    {"Invalid", 422, ApiReason::kInvalid, StatusCode::kInvalidArgument},
    {"TooManyRequests", 429, ApiReason::kTooManyRequests, StatusCode::kResourceExhausted},
    {"Timeout", 504, ApiReason::kTimeout, StatusCode::kDeadlineExceeded},
    {"ServerTimeout", 0, ApiReason::kServerTimeout, StatusCode::kUnavailable},
    {"ServiceUnavailable", 503, ApiReason::kUnavailable, StatusCode::kUnavailable},
};

Meaning meaning_of(std::string_view reason, int http_status, Method method) {
  const auto* const named =
      std::ranges::find_if(kMeanings, [&](const Meaning& each) { return each.name == reason; });
  if (named != std::end(kMeanings)) return *named;
  // Who creates cannot meet another version of what it writes.
  if (http_status == 409 && method == Method::kPost) {
    return {"", 409, ApiReason::kAlreadyExists, StatusCode::kAlreadyExists};
  }
  const auto* const of_status = std::ranges::find_if(
      kMeanings, [&](const Meaning& each) { return each.http_status == http_status; });
  if (of_status != std::end(kMeanings)) return *of_status;
  StatusCode code = StatusCode::kUnknown;
  if (http_status == 502) {
    code = StatusCode::kUnavailable;
  } else if (http_status >= 500) {
    code = StatusCode::kInternal;
  } else if (http_status >= 400) {
    code = StatusCode::kFailedPrecondition;
  }
  return {"", http_status, ApiReason::kOther, code};
}

std::string cut(std::string_view text, size_t most) {
  if (text.size() <= most) return text::valid_utf8(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text::valid_utf8(text.substr(0, most)) + "...";
}

struct Said {
  std::string reason;
  std::string message;
};

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  const json::string* const text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

// What a metav1.Status says; nothing of another body.
std::optional<Said> said_by(const Response& response) {
  json::parse_options options;
  options.max_depth = kDepth;
  json::error_code error;
  const json::value body = json::parse(response.body, error, {}, options);
  const json::object* const object = error ? nullptr : body.if_object();
  if (object == nullptr || text_of(*object, "kind") != "Status") return std::nullopt;
  return Said{text_of(*object, "reason"), text_of(*object, "message")};
}

std::string cause_of(const std::optional<Said>& said, const Response& response) {
  const std::string number = "HTTP status " + std::to_string(response.status);
  if (!said) {
    std::string cause = "the server answered with " + number;
    if (!response.body.empty()) {
      cause += ": " + text::escaped(cut(response.body, kMostForeignBytes));
    }
    return cause;
  }
  if (!said->message.empty()) return cut(said->message, kMostMessageBytes);
  return said->reason.empty() ? number : cut(said->reason, kMostForeignBytes);
}

std::string permission_needed(const Request& request) {
  const std::string verb(verb_of(request));
  const auto resource = parse_resource_path(request.path);
  if (!resource) {
    return "a ClusterRole of it has to allow the verb " + verb + " on the URL " + request.path;
  }
  return "a ClusterRole, or a Role, of it has to allow " + permission_text(verb, *resource);
}

}  // namespace

std::string permission_text(std::string_view verb, const ResourcePath& resource) {
  std::string text = "the verb " + std::string(verb) + " on the resource " + resource.resource;
  if (!resource.subresource.empty()) text += '/' + resource.subresource;
  text += " of the API group \"" + resource.group + '"';
  if (!resource.name_space.empty()) text += " in the namespace " + resource.name_space;
  return text;
}

ApiError status_error(const Request& request, const Response& response,
                      const std::string& unauthorized) {
  const std::optional<Said> said = said_by(response);
  const Meaning meaning =
      meaning_of(said ? std::string_view(said->reason) : "", response.status, request.method);
  Error error = Error(meaning.code, std::string(verb_of(request)), request.path)
                    .because(cause_of(said, response));
  if (meaning.reason == ApiReason::kForbidden) {
    error = std::move(error).advise(permission_needed(request));
  } else if (meaning.reason == ApiReason::kUnauthorized) {
    error = std::move(error).advise(unauthorized);
  }
  return {std::move(error), meaning.reason, response.status, response.retry_after};
}

}  // namespace longshore::kube
