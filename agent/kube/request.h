// What is asked of an API server, and what it answers. Threads: any; values.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/result.hpp"

namespace longshore::kube {

enum class Method { kGet, kPost, kPut, kPatch, kDelete };

std::string_view method_name(Method method);  // "GET"

struct Request {
  Method method = Method::kGet;
  std::string path;  // "/api/v1/persistentvolumes/pv-1", percent-encoded where that is needed
  // Names and values as they are; they are encoded here.
  std::vector<std::pair<std::string, std::string>> query;
  std::string encoded_query;  // in place of it: as it goes into the URL
  std::string body;
  std::string content_type = "application/json";  // of the body
  bool watches = false;                           // a GET that is a watch; for the sentences
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  size_t max_response_bytes = 16u << 20;
  // Asked at the very moment of sending, however long the request has waited: an error ends it, and
  // the server hears nothing of it.
  std::function<Result<void>()> permit;
};

struct Response {
  int status = 0;
  std::string content_type;
  std::optional<std::chrono::seconds> retry_after;
  std::string date;                 // the Date header, for parse_http_date; empty: there is none
  bool has_priority_level = false;  // the server has weighed the request among those of others
  std::string body;
};

// The path with the query behind it, as it goes into the request.
std::string target_of(const Request& request);

// Of a Retry-After header: seconds, as API servers write it. Nothing for a date and anything else.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view text);

// Of a Date header, as "Fri, 27 Nov 2026 19:35:04 GMT". Nothing for another form.
std::optional<std::chrono::sys_seconds> parse_http_date(std::string_view text);

}  // namespace longshore::kube
