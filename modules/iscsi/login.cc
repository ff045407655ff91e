#include "iscsi/login.h"

#include <algorithm>
#include <string_view>

namespace longshore::iscsi {
namespace {

constexpr const char* kConnect = "connect to the target";

// Open-iscsi keeps settings in lines, and takes white space off their ends.
bool can_stand_in_line(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  return std::ranges::none_of(text, is_control) && text.front() != ' ' && text.back() != ' ';
}

Error refused(std::string cause) {
  return Error(StatusCode::kInvalidArgument, kConnect).because(std::move(cause));
}

}  // namespace

Result<Authentication> parse_authentication(int number) {
  switch (number) {
    case 0:
      return Authentication::kNone;
    case 1:
      return Authentication::kOneWayChap;
    case 2:
      return Authentication::kMutualChap;
    default:
      return refused("invalid authentication type " + std::to_string(number))
          .advise("NONE (0), ONE_WAY_CHAP (1) and MUTUAL_CHAP (2) are valid");
  }
}

Result<void> check_username(const std::string& username) {
  constexpr size_t kLongest = 255;
  if (username.empty()) return refused("CHAP needs a user name (chap_username)");
  if (username.size() > kLongest) {
    return refused("the CHAP user name has " + std::to_string(username.size()) +
                   " bytes, and 255 are the most");
  }
  if (!can_stand_in_line(username)) {
    return refused("the CHAP user name has control characters, or a space at an end");
  }
  return {};
}

Result<void> check_secret(const support::Secret& secret, const std::string& whose) {
  constexpr size_t kShortest = 12;
  constexpr size_t kLongest = 16;
  const std::string name = "the " + whose + " CHAP secret";
  if (secret.text().size() < kShortest || secret.text().size() > kLongest) {
    return refused(name + " has " + std::to_string(secret.text().size()) + " bytes")
        .advise("it must have 12 to 16: fewer are unsafe without IPsec, and Windows takes no more");
  }
  if (!can_stand_in_line(secret.text())) {
    return refused(name + " has control characters, or a space at an end");
  }
  return {};
}

}  // namespace longshore::iscsi
