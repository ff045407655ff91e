// Disconnecting from a target.
#include <algorithm>
#include <thread>

#include "iscsi/linux/held_disks.h"
#include "iscsi/linux/iscsi_backend_linux.h"

namespace longshore::iscsi {

namespace {

constexpr const char* kDisconnect = "disconnect from the target";
constexpr std::chrono::milliseconds kLogoutPollInterval{5};
constexpr std::chrono::seconds kGoing{5};  // after a logout that was successful

}  // namespace

Result<void> IscsiBackendLinux::disconnect(const Target& target, const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kDisconnect, target.text())) return *std::move(exceeded);
  auto now = addresses_.of(target.portal, deadline, kDisconnect, target.text());
  if (!now) return std::move(now).error();
  const std::vector<std::string> addresses = with_earlier(target, *std::move(now));
  const std::vector<Session> sessions = sessions_of(target, addresses);
  if (!sessions.empty()) {
    const auto disks = disks_of(sessions);
    if (!disks) return disks.error();
    // iscsiadm logs out without a look at what is mounted.
    const auto held = HeldDisks::take(devices_, *disks, deadline, kDisconnect);
    if (!held) return held.error();
    for (const Session& session : sessions) {
      if (Result<void> done = log_out(session, target); !done) return done;
    }
  }
  // A logout that was cut short has left the record.
  return delete_records(target, addresses);
}

Result<void> IscsiBackendLinux::log_out(const Session& session, const Target& target) const {
  // Without a connection a session may be about to end: whose logout was cut short, by a killed
  // agent say, iscsid goes on to end. Whether it does is seen below.
  const Result<Iscsiadm::End> end = iscsiadm_.run(
      {.arguments = {"-m", "session", "-r", std::to_string(session.number), "--logout"},
       .operation = kDisconnect,
       .object = target.text(),
       .limit = session_limit(),
       .successes = {ExitCode::kSuccess, ExitCode::kSessionNotFound, ExitCode::kNothingFound,
                     ExitCode::kNotConnected}});
  if (!end) return end.error();
  const auto is_there = [&] {
    const std::vector<Session> all = sessions_.all();
    return std::ranges::any_of(all, [&](const Session& each) {
      return each.number == session.number && each.target == session.target;
    });
  };
  for (const auto last = Deadline::Clock::now() + kGoing; is_there();) {
    if (Deadline::Clock::now() >= last) {
      return Error(StatusCode::kUnavailable, kDisconnect, target.text())
          .because("the kernel still has the session after the logout")
          .advise("repeat the call");
    }
    std::this_thread::sleep_for(kLogoutPollInterval);
  }
  return {};
}

Result<void> IscsiBackendLinux::delete_records(const Target& target,
                                               const std::vector<std::string>& addresses) const {
  for (const NodeRecord& record : records_.find(target.name, addresses, target.portal.port)) {
    const Result<Iscsiadm::End> end =
        iscsiadm_.run({.arguments = {"-m", "node", "-T", target.name, "-p", record.portal.text(),
                                     "-I", "default", "-o", "delete"},
                       .operation = kDisconnect,
                       .object = target.text(),
                       .limit = kDatabaseLimit,
                       .successes = {ExitCode::kSuccess, ExitCode::kNothingFound}});
    if (!end) return end.error();
  }
  return {};
}

}  // namespace longshore::iscsi
