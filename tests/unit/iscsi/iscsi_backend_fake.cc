#include "tests/unit/iscsi/iscsi_backend_fake.h"

#include <algorithm>

namespace longshore::iscsi {

namespace {

constexpr const char* kAdd = "add the portal";
constexpr const char* kDiscover = "discover the targets of";
constexpr const char* kRemove = "remove the portal";
constexpr const char* kConnect = "connect to the target";
constexpr const char* kDisconnect = "disconnect from the target";

Error silent(const char* operation, const std::string& object) {
  return Error(StatusCode::kUnavailable, operation, object).because("the portal does not answer");
}

Error unknown_portal(const char* operation, const std::string& object) {
  return Error(StatusCode::kNotFound, operation, object).because("the portal is not known");
}

bool proves(const std::optional<Credentials>& credentials, const std::string& username,
            const std::string& secret) {
  return credentials && credentials->username == username && credentials->secret.text() == secret;
}

// Whether both sides are content.
bool lets_in(const FakeTarget& target, const Login& login) {
  if (!target.username.empty() && !proves(login.initiator, target.username, target.secret)) {
    return false;
  }
  return !login.target || proves(login.target, target.own_username, target.own_secret);
}

}  // namespace

void IscsiBackendFake::put(const Target& target, const FakeTarget& properties) {
  const std::lock_guard lock(mutex_);
  targets_[target] = properties;
}

void IscsiBackendFake::set_answering(const Portal& portal, bool answers) {
  const std::lock_guard lock(mutex_);
  if (answers) silent_.erase(portal);
  if (!answers) silent_.insert(portal);
}

void IscsiBackendFake::set_user(const Target& target, const std::string& user) {
  const std::lock_guard lock(mutex_);
  targets_[target].user = user;
}

bool IscsiBackendFake::is_connected(const Target& target) const {
  const std::lock_guard lock(mutex_);
  return connected_.contains(target);
}

bool IscsiBackendFake::answers(const Portal& portal) const {
  return !silent_.contains(portal) && std::ranges::any_of(targets_, [&](const auto& each) {
    return each.first.portal == portal;
  });
}

Result<std::vector<Portal>> IscsiBackendFake::portals() {
  const std::lock_guard lock(mutex_);
  return std::vector<Portal>(known_.begin(), known_.end());
}

Result<void> IscsiBackendFake::add_portal(const Portal& portal, const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kAdd, portal.text())) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  if (known_.contains(portal)) return {};
  if (!answers(portal)) return silent(kAdd, portal.text());
  known_.insert(portal);
  return {};
}

Result<std::vector<std::string>> IscsiBackendFake::discover(const Portal& portal,
                                                            const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kDiscover, portal.text())) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  if (!known_.contains(portal)) return unknown_portal(kDiscover, portal.text());
  if (!answers(portal)) return silent(kDiscover, portal.text());
  std::vector<std::string> names;
  for (const auto& [target, properties] : targets_) {
    if (target.portal == portal) names.push_back(target.name);
  }
  return names;
}

Result<void> IscsiBackendFake::remove_portal(const Portal& portal, const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kRemove, portal.text())) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  known_.erase(portal);
  return {};
}

Result<void> IscsiBackendFake::connect(const Target& target, const Login& login,
                                       const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kConnect, target.text())) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  if (connected_.contains(target)) return {};
  if (!known_.contains(target.portal)) return unknown_portal(kConnect, target.text());
  if (!answers(target.portal)) return silent(kConnect, target.text());
  const auto found = targets_.find(target);
  if (found == targets_.end()) {
    return Error(StatusCode::kNotFound, kConnect, target.text())
        .because("the portal does not offer the target");
  }
  if (!lets_in(found->second, login)) {
    return Error(StatusCode::kUnauthenticated, kConnect, target.text())
        .because("the names or secrets do not match");
  }
  connected_.insert(target);
  return {};
}

Result<void> IscsiBackendFake::disconnect(const Target& target, const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kDisconnect, target.text())) return *std::move(exceeded);
  const std::lock_guard lock(mutex_);
  if (!connected_.contains(target)) return {};
  if (const std::string& user = targets_[target].user; !user.empty()) {
    return Error(StatusCode::kFailedPrecondition, kDisconnect, target.text())
        .because("a disk of it is in use by " + user);
  }
  connected_.erase(target);
  return {};
}

Result<std::vector<uint32_t>> IscsiBackendFake::disks(const Target& target, const Deadline&) {
  const std::lock_guard lock(mutex_);
  if (!connected_.contains(target)) return std::vector<uint32_t>();
  return targets_[target].disks;
}

}  // namespace longshore::iscsi
