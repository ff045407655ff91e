// One lease, for which this process stands as a candidate, by the algorithm of client-go.
//
//   follows ──it has written the lease──► leads ──renew deadline, or another holds it──► follows
//      └──release──► over ◄──release─────────┘
//
// Clocks of different machines are never compared. Who does not hold the lease waits until it has
// seen the same record, by its own clock, for as long as the record says. Who holds it counts from
// the moment before it sent its last write that the server has accepted.
//
// Why no two lead: nobody can see a record before the server has it, nor the server before it was
// sent. So the others' wait begins later than the holder's count of the same duration, and ends
// later, if their clocks go equally fast. The holder leads, and writes, up to the renew deadline
// only, however late it comes to know that: its clock goes on while the process is stopped and
// while the system sleeps. What still runs then has the time from there to the lease's end. A lost
// answer makes nobody a leader.
//
// Threads: the context's. Owner: LeaderElections; what is under way when it goes is cancelled.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kube/api_access.h"
#include "kube/lease.h"
#include "kube/timing.h"
#include "longshore/result.hpp"

namespace longshore::kube {

struct ElectionTimes {
  std::chrono::milliseconds renew_deadline{10'000};  // less than the lease's duration
  std::chrono::milliseconds retry_period{5'000};     // less than that
};

// Threads: any may read it.
struct LeaseStanding {
  std::atomic<bool> leads{false};
  // Before the last write that was accepted was sent; of Timing's uptime.
  std::atomic<std::chrono::nanoseconds> renewed_at{std::chrono::nanoseconds(0)};
};

class LeaderElection {
 public:
  using Times = ElectionTimes;
  using Uptime = std::chrono::nanoseconds;  // of Timing

  struct Events {
    std::function<void()> lead;
    // It does not lead, and why, each time that the reason is another. `lease_end`: it has led
    // until now, and nobody else does before.
    std::function<void(const std::string& reason, std::optional<Uptime> lease_end)> follow;
  };

  // All outlive it. The events may not end it.
  LeaderElection(ApiAccess& access, Timing& timing, LeaseClaim claim, Times times, Events events);
  ~LeaderElection();
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  void start() { attempt(); }

  bool leads() const { return standing_->leads; }
  // For whoever looks at it; it may outlive this.
  std::shared_ptr<const LeaseStanding> standing() const { return standing_; }
  // Counts how often it has come to lead: what was begun in one term is not done in another.
  uint64_t term() const { return term_; }
  // Whether what was begun in this term may be sent now.
  Result<void> permit(uint64_t term) const;

  // Leads no more, and gives the lease back if it is held, or may be: a claim that is under way may
  // have been accepted already. `on_done` is called once, maybe at once.
  void release(std::function<void()> on_done);
  // Of one that was stopped, if the lease is still its: at once, not when it ends. Nobody may act
  // by it any more. `on_done` as above.
  void give_back(std::function<void()> on_done);
  // Leads no more. The lease ends by itself, then; nothing: it did not lead.
  std::optional<Uptime> stop();
  // Of one that was stopped before it led: whether the server may have its name all the same.
  bool has_claim_out() const { return is_claim_out_; }

 private:
  using Answer = void (LeaderElection::*)(Outcome);

  void attempt();
  void get(Answer on_answer);
  void write(std::string body, Method method, Answer on_answer);
  void write_claim(std::string body, Method method);
  void ask(Request request, Answer on_answer);
  void on_got(Outcome outcome);
  void on_written(Outcome outcome);
  void on_got_for_release(Outcome outcome);
  void on_released(Outcome outcome);

  void claim();
  void observe(const Lease& lease);
  // The lease is another's, and not over as far as can be known.
  bool is_taken() const;
  void renewed();
  void failed(const std::string& reason);
  void follow(const std::string& reason);
  void lose(const std::string& reason, Uptime end);
  void try_later();
  void end_attempt();

  Uptime deadline() const { return standing_->renewed_at.load() + times_.renew_deadline; }
  Uptime lease_end() const { return standing_->renewed_at.load() + claim_.duration; }
  std::string path() const;

  ApiAccess& access_;
  Timing& timing_;
  const LeaseClaim claim_;
  const Times times_;
  const Events events_;

  std::optional<Lease> lease_;  // as it was last seen; none: to be read
  bool may_be_old_ = false;     // it was not read in this attempt
  std::string observed_;        // the record,
  Uptime observed_at_{};        // and since when it has not changed

  const std::shared_ptr<LeaseStanding> standing_ = std::make_shared<LeaseStanding>();
  uint64_t term_ = 0;
  Uptime sent_at_{};           // the write that is under way
  bool is_claim_out_ = false;  // it was sent, and nothing has been heard from the server since
  std::string reason_;         // why it does not lead, or why the last renewal failed

  std::shared_ptr<void> attempt_;  // whose answer is waited for
  std::shared_ptr<Call> call_;
  std::shared_ptr<void> next_;      // attempt
  std::shared_ptr<void> deadline_;  // while it leads
  std::function<void()> on_released_done_;
  std::chrono::steady_clock::time_point release_by_;
  int release_writes_ = 0;
};

}  // namespace longshore::kube
