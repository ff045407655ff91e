#include "smb/credentials.h"

#include <algorithm>

namespace longshore::smb {
namespace {

// What Linux's fsconfig takes as one value.
constexpr size_t kMaxUserNameBytes = 255;
constexpr size_t kMaxPasswordBytes = 255;

bool is_credential_control(char c) { return static_cast<unsigned char>(c) < ' '; }

Error refused(std::string complaint) {
  return Error(StatusCode::kInvalidArgument, "use user name and password")
      .because(std::move(complaint));
}

}  // namespace

Result<Credentials> Credentials::take(std::string& name, std::string& password) {
  const support::Secret whole_name(name);
  Credentials credentials;
  credentials.password_ = support::Secret(password);
  const std::string& text = whole_name.text();
  const size_t backslash = text.find('\\');
  const bool has_domain = backslash != std::string::npos;
  std::string user = has_domain ? text.substr(backslash + 1) : text;
  std::string domain = has_domain ? text.substr(0, backslash) : std::string();
  credentials.user_ = support::Secret(user);
  credentials.domain_ = support::Secret(domain);

  if (credentials.user().size() > kMaxUserNameBytes ||
      credentials.domain().size() > kMaxUserNameBytes) {
    return refused("the user name is longer than " + std::to_string(kMaxUserNameBytes) + " bytes");
  }
  if (credentials.password().size() > kMaxPasswordBytes) {
    return refused("the password is longer than " + std::to_string(kMaxPasswordBytes) + " bytes");
  }
  if (std::ranges::any_of(text, is_credential_control)) {
    return refused("the user name holds a control character");
  }
  if (credentials.password().find('\0') != std::string::npos) {
    return refused("the password holds a NUL");
  }
  if (has_domain && credentials.user().empty()) {
    return refused("there is no user name behind the domain");
  }
  return credentials;
}

Credentials Credentials::copy() const {
  Credentials other;
  other.user_ = support::Secret::copy_of(user_.text());
  other.domain_ = support::Secret::copy_of(domain_.text());
  other.password_ = support::Secret::copy_of(password_.text());
  return other;
}

}  // namespace longshore::smb
