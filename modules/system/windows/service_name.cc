// Services on Windows: keys of the service control manager.
#include "system/service_name.h"

#include <windows.h>

#include <algorithm>

#include "longshore/windows/wide_text.hpp"

namespace longshore::system {
namespace {

constexpr size_t kMaxUnits = 256;  // the manager's own limit

std::string complaint_about(std::string_view name) {
  if (name.empty()) return "the name is empty";
  // A UTF-16 unit is three bytes of UTF-8 at most.
  if (name.size() > 3 * kMaxUnits || wide(name).size() > kMaxUnits) {
    return "the name is longer than " + std::to_string(kMaxUnits) + " characters";
  }
  const auto is_bad = [](unsigned char c) {
    return c < 0x20 || c == 0x7f || c == '/' || c == '\\';
  };
  if (std::ranges::any_of(name, is_bad)) {
    return "a service's name has no slash, no backslash and no control character";
  }
  if (narrow(wide(name)) != name) return "the name is no UTF-8";
  return {};
}

}  // namespace

Result<std::string> service_name(std::string_view name, std::string_view operation) {
  std::string complaint = complaint_about(name);
  if (complaint.empty()) return std::string(name);
  constexpr size_t kShown = 256;
  std::string shown(name.substr(0, kShown));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20; }, '?');
  return Error(StatusCode::kInvalidArgument, std::string(operation), std::move(shown))
      .because(std::move(complaint));
}

Result<std::string> dependant_name(std::string_view name, std::string_view operation) {
  return service_name(name, operation);
}

std::string comparable_name(std::string_view name) {
  std::wstring upper = wide(name);
  CharUpperBuffW(upper.data(), static_cast<DWORD>(upper.size()));
  return narrow(upper);
}

}  // namespace longshore::system
