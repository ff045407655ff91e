#include "smb/remote_path.h"

#include <algorithm>
#include <vector>

#include "support/ascii.h"
#include "support/disk_number.h"

namespace longshore::smb {
namespace {

using support::is_digit;
using support::is_hexadecimal;
using support::is_letter;
using support::lower_case;

constexpr size_t kMaxBytes = 2048;
constexpr size_t kMaxHostBytes = 253;
constexpr size_t kMaxShareBytes = 80;  // what servers allow
constexpr size_t kMaxPathNameBytes = 255;
constexpr size_t kMaxMappingBytes = 255;  // what Linux's fsconfig takes as one value

bool is_path_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

// Names and IPv4 addresses; whether there is such a host is not asked here.
bool is_host_name(std::string_view host) {
  const auto may_stand = [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
  };
  return std::ranges::all_of(host, may_stand) && host.front() != '-' && host.front() != '.' &&
         host.find("..") == std::string_view::npos;
}

// Good enough to tell it from all else; the system reads it properly.
bool is_ipv6_address(std::string_view host) {
  const auto may_stand = [](char c) { return is_hexadecimal(c) || c == ':' || c == '.'; };
  return std::ranges::count(host, ':') >= 2 && std::ranges::all_of(host, may_stand);
}

bool is_host(std::string_view host) {
  return host.size() <= kMaxHostBytes && (is_host_name(host) || is_ipv6_address(host));
}

bool is_share(std::string_view share) {
  return share.size() <= kMaxShareBytes &&
         share.find_first_of("\"[]:|<>+=;,*?") == std::string_view::npos;
}

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("/\\"), text.size());
    if (end > 0) names.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

// What is wrong with the text, whose names are given, or "".
std::string complaint_about(std::string_view text, const std::vector<std::string_view>& names) {
  if (text.size() > kMaxBytes) {
    return "it is longer than " + std::to_string(kMaxBytes) + " bytes";
  }
  if (std::ranges::any_of(text, is_path_control)) return "it holds a control character";
  if (names.size() < 2) return "it names no share";
  if (!is_host(names[0])) return "it does not begin with the name or address of a host";
  if (!is_share(names[1])) return "what follows the host is not the name of a share";
  if (names[0].size() + names[1].size() + sizeof("///") - 1 > kMaxMappingBytes) {
    return "server and share are longer than " + std::to_string(kMaxMappingBytes) + " bytes";
  }
  for (const std::string_view name : names) {
    if (name == "." || name == "..") return "it holds the name \"" + std::string(name) + "\"";
    if (name.size() > kMaxPathNameBytes) return "a name in it is too long";
  }
  return {};
}

}  // namespace

Result<RemotePath> RemotePath::parse(std::string_view text, const std::string& operation) {
  if (text.empty()) {
    return Error(StatusCode::kInvalidArgument, operation).because("remote path is empty");
  }
  const auto names = names_in(text.substr(0, kMaxBytes));  // what is longer is refused
  if (std::string complaint = complaint_about(text, names); !complaint.empty()) {
    return Error(StatusCode::kInvalidArgument, operation)
        .because("remote path (" + support::quotable(text) + ") is invalid: " + complaint)
        .advise("it is written \\\\server\\share or \\\\server\\share\\directory");
  }
  RemotePath path;
  path.host_ = lower_case(names[0]);
  path.share_ = lower_case(names[1]);
  for (size_t i = 2; i < names.size(); ++i) {
    path.below_.append(path.below_.empty() ? "" : "/").append(names[i]);
  }
  return path;
}

}  // namespace longshore::smb
