// What is asked over HTTP and what is answered, apart from how it travels.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace longshore::observe {

// A GET or HEAD; nothing else gets this far.
struct HttpQuery {
  std::string path;    // "/status"
  std::string query;   // what follows the '?', as it came
  std::string accept;  // the header of this name
};

struct HttpPage {
  unsigned status = 200;
  std::string content_type;
  std::string body;
  std::string location;  // of a redirection; empty otherwise
};

using HttpPages = std::function<HttpPage(const HttpQuery&)>;

// Pages that take their time. `answer` is called on any thread, also when the server has ended; the
// first answer counts. What is returned is let go of when nobody waits for it any more.
using HttpAnswer = std::function<void(HttpPage page)>;
using LateHttpPages = std::function<std::shared_ptr<void>(const HttpQuery&, HttpAnswer answer)>;

inline HttpPage text_page(unsigned status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text), {}};
}

}  // namespace longshore::observe
