// Answers in Beast's form: of pages, and to requests that cannot be read.
#pragma once

#include <boost/beast/http.hpp>
#include <optional>
#include <utility>

#include "observe/http_page.h"

namespace longshore::observe {

using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

inline HttpPage no_body_page() { return text_page(413, "A request here has no body.\n"); }

// The answer to a head that could not be read; nothing where the client is gone or silent.
inline std::optional<HttpPage> page_of_error(const boost::system::error_code& error) {
  namespace http = boost::beast::http;
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return text_page(431, "The request's head has more than 8192 bytes.\n");
  }
  if (error == http::error::body_limit) return no_body_page();
  if (error.category() == make_error_code(http::error::bad_method).category() &&
      error != http::error::end_of_stream && error != http::error::partial_message) {
    return text_page(400, "This is not a request of HTTP/1.1.\n");
  }
  return std::nullopt;
}

inline HttpResponse http_response_of(HttpPage page, unsigned version, bool keep_alive) {
  namespace http = boost::beast::http;
  HttpResponse response;
  response.version(version);
  response.result(page.status);
  response.set(http::field::content_type, page.content_type);
  if (!page.location.empty()) response.set(http::field::location, page.location);
  if (page.status == 405) response.set(http::field::allow, "GET, HEAD");
  response.set(http::field::cache_control, "no-store");
  response.set("Content-Security-Policy",
               "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
               "form-action 'none'; frame-ancestors 'none'");
  response.set("Referrer-Policy", "no-referrer");
  response.set("X-Content-Type-Options", "nosniff");
  response.keep_alive(keep_alive);
  response.body() = std::move(page.body);
  response.prepare_payload();
  return response;
}

}  // namespace longshore::observe
