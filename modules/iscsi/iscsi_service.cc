#include "iscsi/iscsi_service.h"

#include <chrono>
#include <utility>

#include "iscsi/target_name.h"

namespace longshore::iscsi {

using support::Secret;

namespace {

constexpr std::chrono::seconds kTurn{30};

Result<Portal> check_portal(const std::optional<PortalRequest>& request,
                            std::string_view operation) {
  if (!request) {
    return Error(StatusCode::kInvalidArgument, std::string(operation))
        .because("the request has no target_portal");
  }
  return parse_portal(request->address, request->port, operation);
}

// What a request names, checked; from here on the portal may be asked.
Result<Portal> enter_portal(const std::optional<PortalRequest>& request, const Caller& caller,
                            std::string_view operation) {
  Result<Portal> portal = check_portal(request, operation);
  if (!portal) return portal;
  if (auto entered = caller.bulkhead.enter(portal->text()); !entered) return entered.error();
  return portal;
}

Result<Target> enter_target(const std::optional<PortalRequest>& request, const std::string& name,
                            const Caller& caller, std::string_view operation) {
  Result<Portal> portal = check_portal(request, operation);
  if (!portal) return std::move(portal).error();
  if (Result<void> valid = check_target_name(name, operation); !valid) return valid.error();
  if (auto entered = caller.bulkhead.enter(portal->text()); !entered) return entered.error();
  return Target{*std::move(portal), name};
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (size_t place = text.find(from); place != text.npos;
       place = text.find(from, place + to.size())) {
    text.replace(place, from.size(), to);
  }
}

}  // namespace

Result<void> IscsiService::add_portal(const std::optional<PortalRequest>& request,
                                      const Caller& caller) {
  const Result<Portal> portal = enter_portal(request, caller, "add the portal");
  if (!portal) return portal.error();
  return single_flight_.run("portal " + portal->text(), "add the portal " + portal->text(),
                            caller.request_id, caller.deadline,
                            [&] { return backend_.add_portal(*portal, caller.deadline); });
}

Result<std::vector<std::string>> IscsiService::discover(const std::optional<PortalRequest>& request,
                                                        const Caller& caller) {
  const Result<Portal> portal = enter_portal(request, caller, "discover the targets of");
  if (!portal) return portal.error();
  const auto discover = [&]() -> Result<void> {
    auto targets = backend_.discover(*portal, caller.deadline);
    if (!targets) return std::move(targets).error();
    const std::lock_guard lock(mutex_);
    discovered_[*portal] = *std::move(targets);
    return {};
  };
  const Result<void> done =
      single_flight_.run("portal " + portal->text(), "discover the targets of " + portal->text(),
                         caller.request_id, caller.deadline, discover);
  if (!done) return done.error();
  const std::lock_guard lock(mutex_);
  const auto found = discovered_.find(*portal);
  if (found != discovered_.end()) return found->second;
  return Error(StatusCode::kNotFound, "discover the targets of", portal->text())
      .because("the portal was removed just now")
      .advise("AddTargetPortal makes it known");
}

Result<void> IscsiService::remove_portal(const std::optional<PortalRequest>& request,
                                         const Caller& caller) {
  const Result<Portal> portal = enter_portal(request, caller, "remove the portal");
  if (!portal) return portal.error();
  return single_flight_.run("portal " + portal->text(), "remove the portal " + portal->text(),
                            caller.request_id, caller.deadline, [&] {
                              Result<void> removed =
                                  backend_.remove_portal(*portal, caller.deadline);
                              const std::lock_guard lock(mutex_);
                              if (removed) discovered_.erase(*portal);
                              return removed;
                            });
}

Result<void> IscsiService::connect(const ConnectRequest& request, const Caller& caller) {
  const Result<Target> target =
      enter_target(request.portal, request.target, caller, "connect to the target");
  if (!target) return target.error();
  const Result<Login> login = login_of(request);
  if (!login) return login.error();
  // Everything that tells requests apart, but for the secrets.
  const std::string operation = "connect to " + target->text() + " with authentication type " +
                                std::to_string(request.authentication) + " and the user name \"" +
                                (login->initiator ? login->initiator->username : "") + "\"";
  const std::string object = "target " + target->text();
  const auto connect = [&] {
    return in_turn(*target, operation, caller,
                   [&] { return backend_.connect(*target, *login, caller.deadline); });
  };
  if (!login->initiator) {
    return single_flight_.run(object, operation, caller.request_id, caller.deadline, connect);
  }
  // With another secret it would be another request, and secrets are not compared.
  return single_flight_.run_in_turn(object, operation, caller.request_id, caller.deadline, kTurn,
                                    connect);
}

Result<Login> IscsiService::login_of(const ConnectRequest& request) const {
  const Result<Authentication> authentication = parse_authentication(request.authentication);
  if (!authentication) return authentication.error();
  Login login;
  if (*authentication == Authentication::kNone) return login;
  if (auto valid = check_username(request.username); !valid) return valid.error();
  if (auto valid = check_secret(request.secret, "initiator's"); !valid) return valid.error();
  login.initiator = Credentials{request.username, Secret::copy_of(request.secret.text())};
  if (*authentication == Authentication::kOneWayChap) return login;

  if (backend_.keeps_target_secret()) {
    login.target.emplace();
    return login;
  }
  login.target = Credentials{target_username_for(request), mutual_secret()};
  if (login.target->secret.empty()) {
    return Error(StatusCode::kFailedPrecondition, "connect to the target", request.target)
        .because("MUTUAL_CHAP needs the target's secret, and none is set")
        .advise("call SetMutualChapSecret first, also after a restart of the agent");
  }
  if (login.target->secret.text() == login.initiator->secret.text()) {
    return Error(StatusCode::kInvalidArgument, "connect to the target", request.target)
        .because("the secrets of both directions are the same")
        .advise("whoever knows one could play the other side; iSCSI asks for two");
  }
  if (auto valid = check_username(login.target->username); !valid) return valid.error();
  return login;
}

std::string IscsiService::target_username_for(const ConnectRequest& request) const {
  std::string name = target_username_;
  replace_all(name, "{iqn}", request.target);
  replace_all(name, "{username}", request.username);
  return name;
}

Result<void> IscsiService::disconnect(const std::optional<PortalRequest>& portal,
                                      const std::string& name, const Caller& caller) {
  const Result<Target> target = enter_target(portal, name, caller, "disconnect from the target");
  if (!target) return target.error();
  const std::string operation = "disconnect from " + target->text();
  const auto disconnect = [&] {
    return in_turn(*target, operation, caller,
                   [&] { return backend_.disconnect(*target, caller.deadline); });
  };
  return single_flight_.run("target " + target->text(), operation, caller.request_id,
                            caller.deadline, disconnect);
}

// Two portals may be two spellings of one, "localhost" and "127.0.0.1", and have one record.
Result<void> IscsiService::in_turn(const Target& target, const std::string& operation,
                                   const Caller& caller,
                                   const std::function<Result<void>()>& mutate) {
  return single_flight_.run_in_turn("target " + target.name, operation, caller.request_id,
                                    caller.deadline, kTurn, mutate);
}

Result<std::vector<uint32_t>> IscsiService::disks(const std::optional<PortalRequest>& portal,
                                                  const std::string& name, const Caller& caller) {
  const Result<Target> target = enter_target(portal, name, caller, "list the disks of the target");
  if (!target) return target.error();
  return backend_.disks(*target, caller.deadline);
}

Result<void> IscsiService::set_mutual_secret(Secret secret) {
  if (Result<void> valid = check_secret(secret, "target's"); !valid) return valid;
  if (backend_.keeps_target_secret()) return backend_.keep_target_secret(secret);
  const std::lock_guard lock(mutex_);
  mutual_secret_ = std::move(secret);
  return {};
}

Secret IscsiService::mutual_secret() const {
  const std::lock_guard lock(mutex_);
  return Secret::copy_of(mutual_secret_.text());
}

}  // namespace longshore::iscsi
