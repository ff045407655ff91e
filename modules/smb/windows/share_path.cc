#include "smb/windows/share_path.h"

#include <algorithm>

namespace longshore::smb {
namespace {

constexpr std::string_view kIpv6Domain = ".ipv6-literal.net";
constexpr std::string_view kVerbatimShare = "\\\\?\\UNC\\";

std::string windows_host(const std::string& host) {
  if (host.find(':') == host.npos) return host;
  std::string literal = host;
  std::ranges::replace(literal, ':', '-');
  return literal.append(kIpv6Domain);
}

}  // namespace

std::string mapping_root(const RemotePath& remote) {
  return "\\\\" + windows_host(remote.host()) + "\\" + remote.share();
}

std::string share_path(const RemotePath& remote) {
  std::string path = mapping_root(remote);
  if (!remote.below().empty()) path += "\\" + remote.below();
  std::ranges::replace(path, '/', '\\');
  return path;
}

std::optional<RemotePath> remote_path_of_link(std::string_view text) {
  std::string path(text);
  if (text.starts_with(kVerbatimShare)) {
    path = "\\\\" + std::string(text.substr(kVerbatimShare.size()));
  }
  if (!path.starts_with("\\\\") || path.starts_with("\\\\?\\") || path.starts_with("\\\\.\\")) {
    return {};
  }
  const size_t host_end = path.find('\\', 2);
  if (host_end != path.npos && std::string_view(path).substr(0, host_end).ends_with(kIpv6Domain)) {
    std::string host = path.substr(2, host_end - 2 - kIpv6Domain.size());
    std::ranges::replace(host, '-', ':');
    path = "\\\\" + host + path.substr(host_end);
  }
  const auto remote = RemotePath::parse(path, "read the link");
  return remote ? std::optional<RemotePath>(*remote) : std::nullopt;
}

}  // namespace longshore::smb
