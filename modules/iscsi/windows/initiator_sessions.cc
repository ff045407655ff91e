// Sessions with targets.
#include <algorithm>

#include "iscsi/windows/initiator.h"
#include "longshore/windows/wide_text.hpp"

namespace longshore::iscsi {

namespace {

// ISCSI_AUTH_TYPES
constexpr ULONG kNoAuthentication = 0;
constexpr ULONG kChap = 1;
constexpr ULONG kMutualChap = 2;

// Bytes that the initiator is handed, which are not const to it.
class SecretBytes {
 public:
  explicit SecretBytes(std::string_view text) : bytes_(text.begin(), text.end()) {}
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;
  ~SecretBytes() { wipe(reinterpret_cast<char*>(bytes_.data()), bytes_.size()); }

  std::span<UCHAR> bytes() { return bytes_; }

 private:
  std::vector<UCHAR> bytes_;
};

}  // namespace

Result<std::vector<InitiatorSession>> Initiator::sessions_of(
    const Target& target, const InitiatorPurpose& purpose) const {
  auto sessions = read_sessions(library_, purpose);
  if (!sessions) return sessions;
  const std::vector<Portal> spellings = spellings_of(target.portal);
  std::erase_if(*sessions, [&](const InitiatorSession& session) {
    const auto& names = session.target_names;
    if (std::ranges::find(names, target.name) == names.end()) return true;
    // One that lost its connections is through every portal: nobody else would end it.
    return !session.portals.empty() &&
           std::ranges::none_of(session.portals, [&](const Portal& portal) {
             return std::ranges::find(spellings, portal) != spellings.end();
           });
  });
  return sessions;
}

Result<void> Initiator::connect(const Target& target, const Login& login) const {
  const InitiatorPurpose purpose{"connect to the target", target.text()};
  const auto sessions = sessions_of(target, purpose);
  if (!sessions) return sessions.error();
  if (std::ranges::any_of(*sessions, [](const auto& each) { return !each.portals.empty(); })) {
    return {};
  }
  if (!sessions->empty()) {
    return purpose.error(StatusCode::kUnavailable)
        .because("the target is connected but does not answer")
        .advise("repeat the call; Windows goes on trying to reach a target that is lost");
  }
  if (Result<void> found = find(target, purpose); !found) return found;
  return log_in(target, login, purpose);
}

Result<void> Initiator::log_in(const Target& target, const Login& login,
                               const InitiatorPurpose& purpose) const {
  SecretBytes name(login.initiator ? std::string_view(login.initiator->username) : "");
  SecretBytes secret(login.initiator ? std::string_view(login.initiator->secret.text()) : "");
  LoginOptions options{};
  options.information_specified = kAuthenticationSpecified;
  options.authentication = login.target ? kMutualChap : login.initiator ? kChap : kNoAuthentication;
  if (login.initiator) {
    options.information_specified |= kUserNameSpecified | kPasswordSpecified;
    options.user_name = name.bytes().data();
    options.user_name_length = static_cast<ULONG>(name.bytes().size());
    options.password = secret.bytes().data();
    options.password_length = static_cast<ULONG>(secret.bytes().size());
  }
  const InitiatorCode code =
      library_.log_in(wide(target.name), target_portal(target.portal), options);
  // Somebody else's login may have come first.
  if (code == ERROR_SUCCESS || code == kAlreadyLoggedIn || code == kSessionExists) return {};
  return initiator_error(purpose, code);
}

Result<void> Initiator::disconnect(const Target& target) const {
  const InitiatorPurpose purpose{"disconnect from the target", target.text()};
  const auto sessions = sessions_of(target, purpose);
  if (!sessions) return sessions.error();
  if (sessions->empty()) return {};
  for (const InitiatorSession& session : *sessions) {
    const InitiatorCode code = library_.log_out(session.id);
    if (code != ERROR_SUCCESS && code != kInvalidSession && code != kInitiatorNotFound) {
      return initiator_error(purpose, code);
    }
  }
  // Whether there is one is not worth a question: what is not there is not removed.
  library_.remove_persistent_login(wide(target.name), target_portal(target.portal));
  return {};
}

Result<std::vector<uint32_t>> Initiator::disks(const Target& target) const {
  const InitiatorPurpose purpose{"list the disks of the target", target.text()};
  const auto sessions = sessions_of(target, purpose);
  if (!sessions) return sessions.error();
  std::vector<uint32_t> disks;
  for (const InitiatorSession& session : *sessions) {
    const auto found = read_disks(library_, session.id, purpose);
    // A session that ended just now has none.
    if (!found && found.error().code() == StatusCode::kNotFound) continue;
    if (!found) return found.error();
    for (const uint32_t disk : *found) {
      if (std::ranges::find(disks, disk) == disks.end()) disks.push_back(disk);
    }
  }
  return disks;
}

Result<void> Initiator::set_target_secret(const support::Secret& secret) const {
  SecretBytes bytes(secret.text());
  const InitiatorCode code = library_.set_chap_secret(bytes.bytes());
  if (code == ERROR_SUCCESS) return {};
  return initiator_error({"set the secret of MUTUAL_CHAP", {}}, code);
}

}  // namespace longshore::iscsi
