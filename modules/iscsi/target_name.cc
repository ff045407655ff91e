#include "iscsi/target_name.h"

#include <algorithm>
#include <string>

#include "support/ascii.h"
#include "support/disk_number.h"

namespace longshore::iscsi {
namespace {

using support::is_digit;
using support::is_hexadecimal;
using support::is_letter;

constexpr size_t kLongestName = 223;

// "2001-04.org.example:disks", without what stands before it.
bool is_qualified(std::string_view text) {
  constexpr size_t kDate = 8;  // "2001-04."
  if (text.size() <= kDate || text[4] != '-' || text[7] != '.') return false;
  for (const size_t place : {0U, 1U, 2U, 3U, 5U, 6U}) {
    if (!is_digit(text[place])) return false;
  }
  const int month = (text[5] - '0') * 10 + (text[6] - '0');
  if (month < 1 || month > 12) return false;
  const char first = text[kDate];
  return (is_letter(first) || is_digit(first)) && std::ranges::all_of(text, [](char c) {
           return is_letter(c) || is_digit(c) ||
                  std::string_view("-.:_").find(c) != std::string::npos;
         });
}

bool is_name(std::string_view name) {
  const std::string_view kind = name.substr(0, 4);
  const std::string_view rest = name.substr(kind.size());
  if (kind == "iqn.") return is_qualified(rest);
  if (kind == "eui.") return rest.size() == 16 && std::ranges::all_of(rest, is_hexadecimal);
  if (kind == "naa.") {
    return (rest.size() == 16 || rest.size() == 32) && std::ranges::all_of(rest, is_hexadecimal);
  }
  return false;
}

}  // namespace

Result<void> check_target_name(std::string_view name, std::string_view operation) {
  const auto refused = [&](std::string cause) {
    return Error(StatusCode::kInvalidArgument, std::string(operation), support::quotable(name))
        .because(std::move(cause));
  };
  if (name.empty()) return refused("the target has no name (iqn)");
  if (name.size() > kLongestName) {
    return refused("the name has " + std::to_string(name.size()) + " bytes, and 223 are the most");
  }
  if (!is_name(name)) {
    return refused("it is no iSCSI name").advise("such as iqn.2001-04.org.example:disks");
  }
  return {};
}

}  // namespace longshore::iscsi
