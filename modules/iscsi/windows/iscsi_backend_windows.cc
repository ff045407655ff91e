#include "iscsi/windows/iscsi_backend_windows.h"

#include <chrono>
#include <optional>
#include <system_error>

namespace longshore::iscsi {

namespace {

// For what the initiator's service knows or keeps by itself, without a server.
constexpr std::chrono::seconds kLocalPatience{30};

Error no_answer(const InitiatorPurpose& purpose, const Deadline& deadline,
                const std::error_code& error) {
  if (auto over = deadline.exceeded(purpose.operation, purpose.object)) {
    return std::move(*over).advise("Windows goes on with it; repeat the call");
  }
  if (error == std::errc::connection_already_in_progress) {
    return purpose.error(StatusCode::kUnavailable)
        .because("the iSCSI initiator has not answered an earlier call for it")
        .advise("try again");
  }
  return purpose.error(StatusCode::kUnavailable)
      .because("the iSCSI initiator does not answer: " + error.message());
}

template <typename T>
Result<T> value_of(const std::optional<Result<T>>& answer, const Result<void>& done) {
  return done ? *answer : Result<T>(done.error());
}

Login copy_of(const Login& login) {
  const auto copy = [](const std::optional<Credentials>& from) -> std::optional<Credentials> {
    if (!from) return {};
    return Credentials{from->username, support::Secret::copy_of(from->secret.text())};
  };
  return {copy(login.initiator), copy(login.target)};
}

}  // namespace

template <typename T>
Result<T> IscsiBackendWindows::ask(const std::string& key, const InitiatorPurpose& purpose,
                                   const Deadline& deadline,
                                   std::function<Result<T>(const Initiator&)> question) {
  if (auto over = deadline.exceeded(purpose.operation, purpose.object)) return *std::move(over);
  const auto answer = std::make_shared<std::optional<Result<T>>>();
  const Result<void> done = calls_.run(
      key, deadline,
      [library = library_, question = std::move(question), answer]() -> Result<void> {
        answer->emplace(question(Initiator(*library)));
        return {};
      },
      [&](const std::error_code& error) -> Result<void> {
        return no_answer(purpose, deadline, error);
      });
  return value_of(*answer, done);
}

Result<std::vector<Portal>> IscsiBackendWindows::portals() {
  return ask<std::vector<Portal>>("portals", {"list the portals", {}},
                                  Deadline().within(kLocalPatience),
                                  [](const Initiator& initiator) { return initiator.portals(); });
}

Result<void> IscsiBackendWindows::keep_target_secret(const support::Secret& secret) {
  const auto own = std::make_shared<const support::Secret>(support::Secret::copy_of(secret.text()));
  return ask<void>("secret", {"keep the secret of MUTUAL_CHAP", {}},
                   Deadline().within(kLocalPatience),
                   [own](const Initiator& initiator) { return initiator.set_target_secret(*own); });
}

Result<void> IscsiBackendWindows::add_portal(const Portal& portal, const Deadline& deadline) {
  return ask<void>("portal " + portal.text(), {"add the portal", portal.text()}, deadline,
                   [portal](const Initiator& initiator) { return initiator.add_portal(portal); });
}

Result<std::vector<std::string>> IscsiBackendWindows::discover(const Portal& portal,
                                                               const Deadline& deadline) {
  return ask<std::vector<std::string>>(
      "portal " + portal.text(), {"discover the targets of", portal.text()}, deadline,
      [portal](const Initiator& initiator) { return initiator.discover(portal); });
}

Result<void> IscsiBackendWindows::remove_portal(const Portal& portal, const Deadline& deadline) {
  return ask<void>(
      "portal " + portal.text(), {"remove the portal", portal.text()}, deadline,
      [portal](const Initiator& initiator) { return initiator.remove_portal(portal); });
}

Result<void> IscsiBackendWindows::connect(const Target& target, const Login& login,
                                          const Deadline& deadline) {
  // Wiped by whoever lets go of it last.
  const auto own = std::make_shared<const Login>(copy_of(login));
  return ask<void>(
      "target " + target.text(), {"connect to the target", target.text()}, deadline,
      [target, own](const Initiator& initiator) { return initiator.connect(target, *own); });
}

Result<void> IscsiBackendWindows::disconnect(const Target& target, const Deadline& deadline) {
  return ask<void>("target " + target.text(), {"disconnect from the target", target.text()},
                   deadline,
                   [target](const Initiator& initiator) { return initiator.disconnect(target); });
}

Result<std::vector<uint32_t>> IscsiBackendWindows::disks(const Target& target,
                                                         const Deadline& deadline) {
  return ask<std::vector<uint32_t>>(
      "disks " + target.text(), {"list the disks of the target", target.text()}, deadline,
      [target](const Initiator& initiator) { return initiator.disks(target); });
}

}  // namespace longshore::iscsi
