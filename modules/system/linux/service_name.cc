// Services on Linux: the names of systemd's units.
#include "system/service_name.h"

#include <algorithm>
#include <array>

namespace longshore::system {
namespace {

constexpr size_t kMaxBytes = 255;  // systemd's own limit, suffix included
constexpr std::string_view kService = ".service";
constexpr std::array<std::string_view, 10> kOtherKinds = {
    ".automount", ".device", ".mount", ".path",   ".scope",
    ".slice",     ".socket", ".swap",  ".target", ".timer"};

bool may_stand_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view(":-_.\\@").find(c) != std::string_view::npos;
}

bool is_other_kind(std::string_view name) {
  return std::any_of(kOtherKinds.begin(), kOtherKinds.end(),
                     [&](std::string_view kind) { return name.ends_with(kind); });
}

// What is wrong with a name that has its suffix, or "".
std::string complaint_about(std::string_view unit) {
  if (unit.size() > kMaxBytes) {
    return "the name is longer than " + std::to_string(kMaxBytes) + " bytes";
  }
  if (!std::all_of(unit.begin(), unit.end(), may_stand_in_name)) {
    return "a service's name has only letters, digits and the characters : - _ . \\ @";
  }
  const std::string_view stem = unit.substr(0, unit.rfind('.'));
  if (stem.empty()) return "the name is empty";
  if (stem.front() == '@' || stem.front() == '.') return "the name begins with @ or a dot";
  if (stem.back() == '@') {
    return "this is a template; the name of an instance has to follow the @";
  }
  return {};
}

Error bad_name(std::string_view name, std::string_view operation, std::string complaint) {
  constexpr size_t kShown = 256;
  std::string shown(name.substr(0, kShown));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, '?');
  return Error(StatusCode::kInvalidArgument, std::string(operation), std::move(shown))
      .because(std::move(complaint));
}

}  // namespace

Result<std::string> dependant_name(std::string_view name, std::string_view operation) {
  std::string unit(name.substr(0, kMaxBytes + 1));
  if (!name.ends_with(kService) && !is_other_kind(name)) unit += kService;
  std::string complaint = complaint_about(unit);
  if (!complaint.empty()) return bad_name(name, operation, std::move(complaint));
  return unit;
}

Result<std::string> service_name(std::string_view name, std::string_view operation) {
  Result<std::string> unit = dependant_name(name, operation);
  if (!unit || unit->ends_with(kService)) return unit;
  return bad_name(name, operation,
                  "only services are known here, and this is another kind of unit");
}

std::string comparable_name(std::string_view name) { return std::string(name); }

}  // namespace longshore::system
