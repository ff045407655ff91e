// Connecting to a target.
#include <algorithm>
#include <thread>

#include "iscsi/linux/iscsi_backend_linux.h"

namespace longshore::iscsi {

namespace {

constexpr const char* kConnect = "connect to the target";
constexpr const char* kScan = "scan for the disks of the target";
constexpr std::chrono::milliseconds kSessionPollInterval{10};

std::optional<std::string_view> name_of(const std::optional<Credentials>& credentials) {
  if (!credentials) return std::nullopt;
  return credentials->username;
}

std::optional<std::string_view> secret_of(const std::optional<Credentials>& credentials) {
  if (!credentials) return std::nullopt;
  return credentials->secret.text();
}

std::vector<std::string_view> secrets_of(const Login& login) {
  std::vector<std::string_view> secrets;
  for (const auto* credentials : {&login.initiator, &login.target}) {
    if (const auto secret = secret_of(*credentials)) secrets.push_back(*secret);
  }
  return secrets;
}

}  // namespace

Result<void> IscsiBackendLinux::connect(const Target& target, const Login& login,
                                        const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kConnect, target.text())) return *std::move(exceeded);
  const auto addresses = addresses_.of(target.portal, deadline, kConnect, target.text());
  if (!addresses) return addresses.error();
  const std::vector<std::string> all = with_earlier(target, *addresses);
  Result<void> connected = sessions_of(target, all).empty()
                               ? make_session(target, *addresses, all, login, deadline)
                               : await_login(target, all, deadline);
  if (!connected) return connected;
  return scan_unscanned(target, all, deadline);
}

Result<void> IscsiBackendLinux::make_session(const Target& target,
                                             const std::vector<std::string>& addresses,
                                             const std::vector<std::string>& all,
                                             const Login& login, const Deadline& deadline) {
  if (!records_.knows(target.portal)) {
    return Error(StatusCode::kNotFound, kConnect, target.text())
        .because("the portal is not known")
        .advise("AddTargetPortal makes it known");
  }
  const Result<NodeRecord> record = find_record(target, addresses, deadline);
  if (!record) return record.error();
  const Result<ExitCode> end = log_in(target, *record, login);
  Result<void> forgotten = records_.forget_secrets(*record, secrets_of(login));
  if (!end) return end.error();
  if (!forgotten) return forgotten;
  // iscsiadm has met a login that another began, and that may still fail.
  if (*end == ExitCode::kSessionExists) return await_login(target, all, deadline);
  return {};
}

// DisconnectTarget deletes the record, so a target that was connected before has none either.
Result<NodeRecord> IscsiBackendLinux::find_record(const Target& target,
                                                  const std::vector<std::string>& addresses,
                                                  const Deadline& deadline) {
  const auto removed = records_.remove_broken(target.name, addresses, target.portal.port);
  if (!removed) return removed.error();
  auto records = records_.find(target.name, addresses, target.portal.port);
  if (!records.empty()) return std::move(records.front());
  const auto names = discover(target.portal, deadline);
  if (!names) return names.error();
  records = records_.find(target.name, addresses, target.portal.port);
  if (!records.empty()) return std::move(records.front());
  const bool is_offered = std::ranges::find(*names, target.name) != names->end();
  return Error(StatusCode::kNotFound, kConnect, target.text())
      .because(is_offered ? "the portal offers the target at other addresses only"
                          : "the portal does not offer the target to this node")
      .advise(is_offered ? "connect through an address that the target names itself"
                         : "DiscoverTargetPortal lists those that it offers");
}

Result<void> IscsiBackendLinux::write_login(const Target& target, const NodeRecord& record,
                                            const Login& login) const {
  const std::string seconds = std::to_string(
      std::max<int64_t>(std::chrono::ceil<std::chrono::seconds>(login_timeout_).count(), 1));
  // All that a login depends on, so that nothing of an earlier one or of iscsid.conf is left. A
  // connection ends with the node, and a portal that does not answer is tried once.
  const std::vector<RecordSetting> settings = {
      {"node.startup", "manual"},
      {"node.conn[0].startup", "manual"},
      {"node.session.initial_login_retry_max", "1"},
      {"node.conn[0].timeo.login_timeout", seconds},
      {"node.session.auth.authmethod", login.initiator ? "CHAP" : "None"},
      {"node.session.auth.username", name_of(login.initiator)},
      {kPassword, secret_of(login.initiator)},
      {"node.session.auth.username_in", name_of(login.target)},
      {kPasswordOfTarget, secret_of(login.target)},
  };
  return records_.write(record, target.portal, settings,
                        /*has_secrets=*/login.initiator.has_value());
}

Result<ExitCode> IscsiBackendLinux::log_in(const Target& target, const NodeRecord& record,
                                           const Login& login) const {
  if (Result<void> written = write_login(target, record, login); !written) return written.error();
  const Result<Iscsiadm::End> end =
      iscsiadm_.run({.arguments = {"-m", "node", "-T", target.name, "-p", record.portal.text(),
                                   "-I", "default", "--login"},
                     .operation = kConnect,
                     .object = target.text(),
                     .limit = session_limit(),
                     .successes = {ExitCode::kSuccess, ExitCode::kSessionExists,
                                   ExitCode::kFatalLogin, ExitCode::kNothingFound}});
  if (!end) return end.error();
  if (end->exit_code == ExitCode::kNothingFound) {
    return Error(StatusCode::kUnavailable, kConnect, target.text())
        .because("its record was removed just now, by itself or with its portal")
        .advise("repeat the call");
  }
  if (end->exit_code != ExitCode::kFatalLogin) return end->exit_code;
  if (!login.target) {
    return error_of_exit_code(static_cast<int>(ExitCode::kFatalLogin), kConnect, target.text(), "");
  }
  return Error(StatusCode::kUnauthenticated, kConnect, target.text())
      .because("the target did not prove to know the secret of MUTUAL_CHAP, or refused the login")
      .advise("check the secret that SetMutualChapSecret set, and that the target calls itself \"" +
              login.target->username + "\" (option mutual_chap_username)");
}

// The session is there: somebody else's login that goes on, or one that lost its connection.
Result<void> IscsiBackendLinux::await_login(const Target& target,
                                            const std::vector<std::string>& addresses,
                                            const Deadline& deadline) const {
  // An agent that was killed may have left secrets in the record of this very session.
  for (const NodeRecord& record : records_.find(target.name, addresses, target.portal.port)) {
    if (Result<void> forgotten = records_.forget_secrets(record, {}); !forgotten) return forgotten;
  }
  const auto end = Deadline::Clock::now() + login_timeout_;
  for (;;) {
    const std::vector<Session> sessions = sessions_of(target, addresses);
    if (std::ranges::any_of(sessions, &Session::is_logged_in)) return {};
    if (sessions.empty() || Deadline::Clock::now() >= end) {
      return Error(StatusCode::kUnavailable, kConnect, target.text())
          .because(sessions.empty() ? "a login that was under way failed"
                                    : "the target is connected but does not answer")
          .advise("repeat the call; the system goes on trying to reach a target that is lost");
    }
    if (auto exceeded = deadline.exceeded(kConnect, target.text())) return *std::move(exceeded);
    std::this_thread::sleep_for(kSessionPollInterval);
  }
}

// iscsid has scanned before iscsiadm ends, unless its node.session.scan is "manual".
Result<void> IscsiBackendLinux::scan_unscanned(const Target& target,
                                               const std::vector<std::string>& addresses,
                                               const Deadline& deadline) {
  for (const Session& session : sessions_of(target, addresses)) {
    if (!session.is_logged_in || sessions_.units_of(session).has_any) continue;
    if (auto exceeded = deadline.exceeded(kConnect, target.text())) return *std::move(exceeded);
    if (Result<void> scanned = scan(session, target, deadline); !scanned) return scanned;
  }
  return {};
}

// The kernel waits for a target that has become silent since its login, for as long as SCSI's own
// time limits last.
Result<void> IscsiBackendLinux::scan(const Session& session, const Target& target,
                                     const Deadline& deadline) {
  const auto ask = [sessions = sessions_, session, object = target.text()]() -> Result<void> {
    const std::error_code error = sessions.scan(session);
    if (!error) return {};
    return Error(StatusCode::kUnknown, kScan, object)
        .because(error)
        .advise("it is connected: let the agent write to /sys, or call Rescan and go on");
  };
  const auto unanswered = [&](const std::error_code& error) -> Result<void> {
    if (auto exceeded = deadline.exceeded(kScan, target.text())) return *std::move(exceeded);
    Error failure(StatusCode::kUnavailable, kScan, target.text());
    if (error != std::errc::connection_already_in_progress)
      return std::move(failure).because(error);
    return std::move(failure)
        .because("the target has not answered an earlier scan")
        .advise("it is connected: repeat the call once it answers, or call DisconnectTarget");
  };
  return scans_.run(std::to_string(session.number), deadline, ask, unanswered);
}

}  // namespace longshore::iscsi
