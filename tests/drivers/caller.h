// The gRPC side of a driver's process: its connections, and what happens to one of its calls.
//
// Threads: one.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/drivers/driver.h"
#include "tests/drivers/driver_node.h"
#include "tests/drivers/silent_connection.h"
#include "tests/drivers/wire.h"
#include "tests/support/test_client.h"

namespace longshore::test {

// What happens at one of the calls of a volume's life, counted from 0 over all node methods.
struct Interruption {
  enum class Kind {
    kNone,
    kDriverRestart,     // the driver's process ends before the call
    kKillBetween,       // the agent is killed before the call, which finds the next one
    kKillDuring,        // the agent is killed while it works on the call
    kKillBeforeAnswer,  // the agent has done all, and is killed before the driver hears of it
    // The first time that a row of the table is due; `call` counts for nothing.
    kRestartAtEachRow,  // kDriverRestart
    kKillAtEachRow,     // both kKillBetween and kKillDuring
    // The agent has done all, and the driver's connections break before it hears of it.
    kLostAnswerAtEachRow,
  };
  Kind kind = Kind::kNone;
  size_t call = 0;    // at every call: kEveryCall, for kKillBetween
  double moment = 0;  // of a kill during a call: after so much of the time that the call takes
};
inline constexpr size_t kEveryCall = static_cast<size_t>(-1);
std::string to_string(const Interruption& interruption);

// How long the calls of a life took.
struct CallTimes {
  std::vector<std::chrono::nanoseconds> in_order;
  // Of each row the first.
  std::map<const Call*, std::chrono::nanoseconds> of_rows;
};

// The driver's process has to start again.
struct DriverRestart {};

class Caller {
 public:
  Caller(const Driver& driver, DriverNode& node, const Interruption& interruption);

  // Throws DriverRestart where that is to happen. A call whose answer is lost is an error of gRPC.
  Reply call(const Call& row, const Arguments& arguments);

  // A new process of the driver's: other connections, and for each socket one that says nothing,
  // which csi-proxy's clients leave behind when they look whether the socket is there.
  void restart();
  // One more of those.
  void leave_silent_connection(const std::string& group);

  size_t calls() const { return times_.in_order.size(); }
  const CallTimes& times() const { return times_; }
  // How long they took in another life of this driver, which times the kills.
  void expect_times(CallTimes times) { expected_ = std::move(times); }
  // The rows at which that has happened which is to happen at each.
  size_t interrupted_rows() const { return interrupted_rows_.size(); }
  // Whether what was to happen has happened.
  bool was_interrupted() const { return was_interrupted_; }
  // The kills that came before the call was answered.
  size_t cut_calls() const { return cut_calls_; }
  size_t kills() const { return kills_; }
  // Whether the answer of the last call was lost.
  bool has_lost_answer() const { return has_lost_answer_; }
  // The same, which is over then.
  bool forget_lost_answer() { return std::exchange(has_lost_answer_, false); }

 private:
  bool is_due(Interruption::Kind kind) const;
  // Whether that is to happen at each row, and has not yet at this one. Once only.
  bool is_due_at_row(Interruption::Kind kind, const Call& row);
  void kill_agent();
  std::shared_ptr<Answer> answer_of(const WireMethod& method, const Call& row,
                                    const Arguments& arguments, bool is_cut);
  std::chrono::nanoseconds moment_of_kill(const Call& row) const;
  TestClient& client(const std::string& group);

  const Driver& driver_;
  DriverNode& node_;
  const Interruption interruption_;
  std::map<std::string, std::unique_ptr<TestClient>> clients_;
  std::vector<SilentConnection> silent_;
  CallTimes times_, expected_;
  std::set<const Call*> interrupted_rows_;
  size_t kills_ = 0, cut_calls_ = 0;
  bool was_interrupted_ = false, has_lost_answer_ = false;
};

}  // namespace longshore::test
