#include "tests/unit/smb/smb_backend_fake.h"

namespace longshore::smb {
using support::Path;

namespace {

constexpr const char* kMap = "map the share";
constexpr const char* kMakeLink = "make the link";

}  // namespace

void SmbBackendFake::put(const std::string& mapping, Share share) {
  const std::lock_guard lock(mutex_);
  shares_[mapping] = std::move(share);
}

bool SmbBackendFake::is_mapped(const std::string& mapping) const {
  const std::lock_guard lock(mutex_);
  return mapped_.contains(mapping);
}

void SmbBackendFake::remove_directory_of(const std::string& path) {
  const std::lock_guard lock(mutex_);
  without_directory_.insert(path);
}

void SmbBackendFake::occupy(const std::string& path) {
  const std::lock_guard lock(mutex_);
  occupied_.insert(path);
}

std::optional<std::string> SmbBackendFake::link_at(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = links_.find(path);
  return found == links_.end() ? std::nullopt : std::optional(found->second.text());
}

void SmbBackendFake::remove_link(const std::string& path) {
  const std::lock_guard lock(mutex_);
  links_.erase(path);
}

Result<void> SmbBackendFake::map(const RemotePath& remote, const Credentials& credentials,
                                 const Path* link, const Deadline&) {
  const std::lock_guard lock(mutex_);
  if (link != nullptr) {
    if (Result<void> free = check_link(link->text(), remote.text()); !free) return free;
  }
  if (Result<void> answer = ask_server(remote, credentials); !answer) return answer;
  mapped_.insert(remote.mapping());
  if (link != nullptr) links_.insert_or_assign(link->text(), remote);
  return {};
}

Result<void> SmbBackendFake::check_link(const std::string& path, const std::string& target) const {
  if (without_directory_.contains(path)) {
    return Error(StatusCode::kNotFound, kMakeLink, path).because("there is no directory for it");
  }
  const auto found = links_.find(path);
  if (occupied_.contains(path) || (found != links_.end() && found->second.text() != target)) {
    return Error(StatusCode::kAlreadyExists, kMakeLink, path).because("something is there");
  }
  return {};
}

Result<void> SmbBackendFake::ask_server(const RemotePath& remote,
                                        const Credentials& credentials) const {
  const auto found = shares_.find(remote.mapping());
  if (found == shares_.end()) {
    return Error(StatusCode::kNotFound, kMap, remote.mapping()).because("there is no such share");
  }
  const Share& share = found->second;
  if (!share.answers) {
    return Error(StatusCode::kUnavailable, kMap, remote.mapping()).because("it does not answer");
  }
  if (credentials.user() != share.user || credentials.password() != share.password) {
    return Error(StatusCode::kPermissionDenied, kMap, remote.mapping()).because("wrong password");
  }
  if (!remote.below().empty() && !share.directories.contains(remote.below())) {
    return Error(StatusCode::kNotFound, kMap, remote.text()).because("no such directory");
  }
  return {};
}

Result<void> SmbBackendFake::unmap(const RemotePath& remote, const Deadline&) {
  const std::lock_guard lock(mutex_);
  bool has_others = false;
  for (auto link = links_.begin(); link != links_.end();) {
    if (link->second.text() == remote.text()) {
      link = links_.erase(link);
      continue;
    }
    has_others = has_others || link->second.mapping() == remote.mapping();
    ++link;
  }
  if (!has_others) mapped_.erase(remote.mapping());
  return {};
}

}  // namespace longshore::smb
