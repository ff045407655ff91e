#include "kube/leader_election.h"

#include <algorithm>
#include <utility>

#include "text/escape.h"

namespace longshore::kube {
namespace {

using std::chrono::milliseconds;

// client-go's: waits of those who follow are up to 2.2 times as long.
constexpr double kJitter = 1.2;
// Between tries of a holder whose renewal has failed, which has the renew deadline only.
constexpr milliseconds kRetryOfHolder{1000};
// What one request gets at least.
constexpr milliseconds kLeastPatience{1000};
// All of a release: the agent's end waits for it.
constexpr milliseconds kReleasePatience{5000};
// One is enough, unless a write that was under way comes in between. Where each fails, something
// else writes the lease all the time.
constexpr int kMostReleaseWrites = 3;
// Of what another has written as its name.
constexpr size_t kMostShown = 200;

std::string shown(const std::string& holder) {
  if (holder.size() <= kMostShown) return holder;
  return text::valid_utf8(holder.substr(0, kMostShown)) + "...";
}

// Leases are asked for by the agent, and not by its controllers.
std::string sentence_of(const ApiError& error) {
  const bool is_forbidden = error.reason() == ApiReason::kForbidden;
  if (!is_forbidden) return error.message();
  return error.message() + "; the role for leases is in " + kLeaseRoleFile;
}

}  // namespace

LeaderElection::LeaderElection(ApiAccess& access, Timing& timing, LeaseClaim claim, Times times,
                               Events events)
    : access_(access),
      timing_(timing),
      claim_(std::move(claim)),
      times_(times),
      events_(std::move(events)) {}

LeaderElection::~LeaderElection() { end_attempt(); }

Result<void> LeaderElection::permit(uint64_t term) const {
  // Not up to the lease's end: what is sent has a way to go.
  if (standing_->leads && term == term_ && timing_.uptime() < deadline()) return {};
  return Error::of_text(StatusCode::kUnavailable,
                        "the lease " + claim_.text() + " is not held any more");
}

void LeaderElection::attempt() {
  next_.reset();
  // A process that was stopped comes here late.
  if (standing_->leads && timing_.uptime() >= deadline()) {
    return lose("was not renewed in time", lease_end());
  }
  may_be_old_ = standing_->leads && lease_.has_value();
  if (may_be_old_) return claim();
  get(&LeaderElection::on_got);
}

void LeaderElection::get(Answer on_answer) {
  Request request;
  request.path = path() + '/' + claim_.name;
  ask(std::move(request), on_answer);
}

void LeaderElection::write(std::string body, Method method, Answer on_answer) {
  Request request;
  request.method = method;
  request.path = method == Method::kPost ? path() : path() + '/' + claim_.name;
  request.body = std::move(body);
  sent_at_ = timing_.uptime();
  ask(std::move(request), on_answer);
}

void LeaderElection::write_claim(std::string body, Method method) {
  is_claim_out_ = true;
  write(std::move(body), method, &LeaderElection::on_written);
}

void LeaderElection::ask(Request request, Answer on_answer) {
  // One that hangs leaves a holder time for another, on a fresh connection.
  const auto time =
      standing_->leads ? deadline() - timing_.uptime() : Uptime(times_.renew_deadline);
  request.deadline = on_released_done_ ? release_by_
                                       : std::chrono::steady_clock::now() +
                                             std::max<Uptime>(time / 2, kLeastPatience);
  attempt_ = std::make_shared<char>();
  call_ = access_.request(std::move(request),
                          [this, on_answer, attempt = std::weak_ptr(attempt_)](Outcome outcome) {
                            if (attempt.expired()) return;
                            attempt_.reset();
                            call_.reset();
                            (this->*on_answer)(std::move(outcome));
                          });
}

void LeaderElection::on_got(Outcome outcome) {
  if (!outcome) {
    if (outcome.error().reason() != ApiReason::kNotFound)
      return failed(sentence_of(outcome.error()));
    lease_.reset();
    return write_claim(new_lease(claim_, timing_.now()), Method::kPost);
  }
  auto lease = parse_lease(outcome.response().body);
  if (!lease) return failed(lease.error().message());
  observe(*lease);
  is_claim_out_ = false;
  if (!is_taken()) return claim();
  const std::string reason =
      "another holds the lease " + claim_.text() + ": " + shown(lease_->holder);
  // Whoever it is may act already.
  if (standing_->leads) return lose(reason, timing_.uptime());
  follow(reason);
  try_later();
}

void LeaderElection::claim() {
  write_claim(claimed_lease(*lease_, claim_, timing_.now()), Method::kPut);
}

void LeaderElection::on_written(Outcome outcome) {
  // What was not answered may have been done.
  is_claim_out_ = !outcome && outcome.error().reason() == ApiReason::kNoAnswer;
  if (!outcome) {
    const ApiReason reason = outcome.error().reason();
    const bool is_outdated = reason == ApiReason::kConflict || reason == ApiReason::kNotFound;
    if (is_outdated && std::exchange(may_be_old_, false)) return get(&LeaderElection::on_got);
    return failed(sentence_of(outcome.error()));
  }
  auto lease = parse_lease(outcome.response().body);
  if (!lease) return failed(lease.error().message());
  observe(*lease);
  renewed();
}

void LeaderElection::observe(const Lease& lease) {
  lease_ = lease;
  if (observed_ == lease.spec && !observed_.empty()) return;
  observed_ = lease.spec;
  observed_at_ = timing_.uptime();
}

bool LeaderElection::is_taken() const {
  if (lease_->holder.empty() || lease_->holder == claim_.holder) return false;
  const auto duration = lease_->duration.count() > 0 ? lease_->duration : claim_.duration;
  return timing_.uptime() < observed_at_ + duration;
}

void LeaderElection::renewed() {
  standing_->renewed_at = sent_at_;
  const Uptime left = deadline() - timing_.uptime();
  // The answer took too long to be of use.
  if (left <= Uptime::zero()) {
    const std::string reason = "was not renewed in time";
    if (standing_->leads) return lose(reason, lease_end());
    lease_.reset();
    return try_later();
  }
  const auto in_time = std::chrono::ceil<milliseconds>(left);
  deadline_ = timing_.after(in_time, [this] {
    deadline_.reset();
    lose(reason_.empty() ? "was not renewed in time" : reason_, lease_end());
  });
  next_ = timing_.after(times_.retry_period, [this] { attempt(); });
  reason_.clear();
  if (standing_->leads.exchange(true)) return;
  ++term_;
  events_.lead();
}

void LeaderElection::failed(const std::string& reason) {
  lease_.reset();  // what the server has may be another by now
  if (!standing_->leads) {
    follow(reason);
    return try_later();
  }
  reason_ = reason;
  next_ = timing_.after(std::min(kRetryOfHolder, times_.retry_period), [this] { attempt(); });
}

void LeaderElection::follow(const std::string& reason) {
  if (std::exchange(reason_, reason) != reason) events_.follow(reason, std::nullopt);
}

void LeaderElection::lose(const std::string& reason, Uptime end) {
  end_attempt();
  standing_->leads = false;
  lease_.reset();
  reason_ = "the lease " + claim_.text() + " is lost: " + reason;
  try_later();
  events_.follow(reason_, end);
}

void LeaderElection::try_later() {
  const double factor = 1 + kJitter * timing_.random();
  next_ = timing_.after(std::chrono::duration_cast<milliseconds>(times_.retry_period * factor),
                        [this] { attempt(); });
}

void LeaderElection::end_attempt() {
  attempt_.reset();
  if (const auto call = std::exchange(call_, nullptr)) call->cancel();
  next_.reset();
  deadline_.reset();
}

std::optional<LeaderElection::Uptime> LeaderElection::stop() {
  end_attempt();
  if (!standing_->leads.exchange(false)) return std::nullopt;
  return lease_end();
}

void LeaderElection::release(std::function<void()> on_done) {
  if (!stop() && !is_claim_out_) return on_done();
  give_back(std::move(on_done));
}

void LeaderElection::give_back(std::function<void()> on_done) {
  on_released_done_ = std::move(on_done);
  release_by_ = std::chrono::steady_clock::now() + kReleasePatience;
  release_writes_ = 0;
  // Not as it was last seen: a renewal may have been under way.
  get(&LeaderElection::on_got_for_release);
}

void LeaderElection::on_got_for_release(Outcome outcome) {
  const auto lease =
      outcome ? parse_lease(outcome.response().body) : Result<Lease>(Error(outcome.error()));
  if (!lease || lease->holder != claim_.holder) return std::exchange(on_released_done_, nullptr)();
  ++release_writes_;
  write(released_lease(*lease, timing_.now()), Method::kPut, &LeaderElection::on_released);
}

void LeaderElection::on_released(Outcome outcome) {
  // A claim that was under way has come in between.
  const bool is_outdated = !outcome && outcome.error().reason() == ApiReason::kConflict;
  if (is_outdated && release_writes_ < kMostReleaseWrites) {
    return get(&LeaderElection::on_got_for_release);
  }
  std::exchange(on_released_done_, nullptr)();
}

std::string LeaderElection::path() const {
  return "/apis/coordination.k8s.io/v1/namespaces/" + claim_.name_space + "/leases";
}

}  // namespace longshore::kube
