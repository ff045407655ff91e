// Why an API server did not do what was asked: an Error, and what a controller decides by.
//
// The server says it by a `metav1.Status`, whose reason goes before the HTTP status; where an
// answer has none, as a proxy's, the HTTP status alone counts, as in client-go. What goes on as a
// plain Error keeps the sentence and gRPC's code.
//
// Threads: any; values.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "kube/request.h"
#include "kube/resource_path.h"
#include "longshore/result.hpp"

namespace longshore::kube {

enum class ApiReason {
  kNoAnswer,  // not reached, too late, cancelled, or no whole answer
  kUnauthorized,
  kForbidden,
  kNotFound,
  kAlreadyExists,
  kConflict,
  kExpired,  // 410: Gone, or a resource version or page that is too old
  kInvalid,
  kTooManyRequests,
  kTimeout,        // it may still be done
  kServerTimeout,  // it was not done
  kUnavailable,
  kOther,  // see the HTTP status
};

class ApiError : public Error {
 public:
  // No answer.
  ApiError(Error error) : Error(std::move(error)) {}  // NOLINT(*-explicit-*)
  ApiError(Error error, ApiReason reason, int http_status,
           std::optional<std::chrono::seconds> retry_after)
      : Error(std::move(error)),
        reason_(reason),
        http_status_(http_status),
        retry_after_(retry_after) {}

  ApiReason reason() const { return reason_; }
  int http_status() const { return http_status_; }  // 0: there was no answer
  // When the server wants to be asked again, if it says so.
  std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }

 private:
  ApiReason reason_ = ApiReason::kNoAnswer;
  int http_status_ = 0;
  std::optional<std::chrono::seconds> retry_after_;
};

// What a request ends with: the answer of a server that did it, or why not.
class [[nodiscard]] Outcome {
 public:
  Outcome(Response response) : state_(std::move(response)) {}  // NOLINT(*-explicit-*)
  Outcome(ApiError error) : state_(std::move(error)) {}        // NOLINT(*-explicit-*)

  explicit operator bool() const { return state_.index() == 0; }
  Response& response() { return *std::get_if<0>(&state_); }
  const ApiError& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<Response, ApiError> state_;
};

// `the verb list on the resource nodes of the API group ""`, and in which namespace, if in one.
std::string permission_text(std::string_view verb, const ResourcePath& resource);

// Of an answer whose status is none of success. `unauthorized` says what may be the matter with the
// credentials, if that is it.
ApiError status_error(const Request& request, const Response& response,
                      const std::string& unauthorized);

}  // namespace longshore::kube
