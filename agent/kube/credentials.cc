#include "kube/credentials.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kube/base64.h"

namespace longshore::kube {
namespace {

// Tokens have one or two thousand.
constexpr size_t kMostTokenBytes = 32u << 10;

// A line end in a header would begin another one.
bool is_token(std::string_view text) {
  return !text.empty() && text.size() <= kMostTokenBytes &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

Secret bearer(std::string_view token) {
  Secret header = Secret::copy_of("Bearer ");
  header.append(token);
  return header;
}

}  // namespace

Credentials::Credentials(Configuration& configuration) : token_file_(configuration.token_file) {
  const std::string& source = configuration.source;
  if (!token_file_.path().empty()) {
    origin_ = "the token in \"" + token_file_.path() + '"';
  } else if (!configuration.token.empty()) {
    fixed_ = bearer(configuration.token.text());
    origin_ = "the token in " + source;
  } else if (!configuration.user_name.empty() || !configuration.password.empty()) {
    Secret pair = Secret::copy_of(configuration.user_name);
    pair.append(":");
    pair.append(configuration.password.text());
    fixed_ = Secret::copy_of("Basic ");
    fixed_.append(base64_encoded(pair.text()).text());
    origin_ = "the password in " + source;
  } else if (!configuration.client_certificate.empty()) {
    origin_ = configuration.client_certificate.file.empty()
                  ? "the client certificate in " + source
                  : "the client certificate \"" + configuration.client_certificate.file + '"';
  }
  configuration.token = Secret();
  configuration.password = Secret();
}

Result<Secret> Credentials::authorization() {
  if (token_file_.path().empty()) {
    const std::string_view token = std::string_view(fixed_.text());
    if (token.starts_with("Bearer ") && !is_token(token.substr(7))) {
      return Error(StatusCode::kInvalidArgument, "use " + origin_)
          .because("it is empty, too long, or has characters that no token has");
    }
    return Secret::copy_of(fixed_.text());
  }
  if (const auto read = token_file_.read(); !read) return read.error();
  const std::string_view token = token_file_.trimmed();
  if (!is_token(token)) {
    return Error(StatusCode::kInvalidArgument, "use the token in", token_file_.path())
        .because("it is empty, too long, or has characters that no token has");
  }
  return bearer(token);
}

}  // namespace longshore::kube
