#include "tests/drivers/positions.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "tests/drivers/volume_life.h"
#include "tests/support/is_long.h"

namespace longshore::test {
namespace {

using Kind = Interruption::Kind;

// So many faults are enough to see what they have in common.
constexpr int kFaultsAtMost = 5;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kCallsToNextKill = 8;
#else
constexpr size_t kCallsToNextKill = 1;
#endif

// One life after another on one node.
class Lives {
 public:
  Lives(const Driver& driver, const MakeNode& make_node) : driver_(driver), node_(make_node()) {}

  // Without an interruption, which tells how many calls there are.
  void plain() { live({}); }

  void live(const Interruption& interruption) {
    if (faults_ >= kFaultsAtMost) return;
    ++lives_;
    try {
      const LifeReport report = test::live(driver_, *node_, interruption, plain_.times);
      if (interruption.kind == Kind::kNone || lives_ == 1) plain_ = report;
      CHECK(report.was_interrupted == (interruption.kind != Kind::kNone));
      dead_ends_ += report.dead_ends;
      restarts_ += report.restarts;
      kills_ += report.kills;
      interrupted_rows_ += report.interrupted_rows;
      cut_calls_ += report.cut_calls;
    } catch (const std::exception& fault) {
      ++faults_;
      FAIL_CHECK(driver_.name << ", " << to_string(interruption) << ": " << fault.what());
    }
  }

  // Whether every row of the driver's tables is called that is not declared unreachable, and no
  // other.
  void check_reach() const {
    if (has_failed()) return;
    for (const auto& [method, rows] : tables_of(driver_)) {
      for (size_t row = 0; row < rows->size(); ++row) {
        CAPTURE(driver_.name, method, row);
        CHECK(plain_.reached.contains(&(*rows)[row]) == ((*rows)[row].reach == Reach::kReached));
      }
    }
  }

  bool can_grow() const { return node_->can_grow(); }
  size_t calls() const { return plain_.times.in_order.size(); }
  bool is_of_expansion(size_t call) const {
    return call >= plain_.first_of_expansion && call < plain_.end_of_expansion;
  }
  size_t cut_calls() const { return cut_calls_; }
  size_t restarts() const { return restarts_; }
  size_t kills() const { return kills_; }
  size_t interrupted_rows() const { return interrupted_rows_; }
  bool has_failed() const { return faults_ > 0; }

  void print() const {
    const auto taken = std::chrono::steady_clock::now() - begin_;
    std::printf(
        "%s%s: %d lives of %zu calls, %zu restarts, %zu kills (%zu before the answer), "
        "%zu rows interrupted, %zu dead ends, %.1f s\n",
        driver_.name.c_str(), can_grow() ? " (grows)" : "", lives_, calls(), restarts_, kills_,
        cut_calls_, interrupted_rows_, dead_ends_, std::chrono::duration<double>(taken).count());
    std::fflush(stdout);
  }

 private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const Driver& driver_;
  const std::unique_ptr<DriverNode> node_;
  LifeReport plain_;
  int lives_ = 0, faults_ = 0;
  size_t dead_ends_ = 0, kills_ = 0, cut_calls_ = 0, restarts_ = 0, interrupted_rows_ = 0;
};

using LiveAt = std::function<void(Lives&, size_t call)>;

// Gives how many calls were cut.
size_t at_calls_on(const Driver& driver, const MakeNode& make_node, size_t step, const LiveAt& live,
                   const std::function<bool(const Lives&, size_t)>& is_meant) {
  Lives lives(driver, make_node);
  lives.plain();
  for (size_t call = 0; call < lives.calls(); call += step) {
    if (is_meant(lives, call)) live(lives, call);
  }
  lives.print();
  return lives.cut_calls();
}

// At the calls of one driver after another: those of expansions on a node that grows, all others on
// the usual one. Gives how many calls were cut.
size_t at_calls(const std::vector<Driver>& drivers, const Nodes& nodes, size_t step,
                const LiveAt& live) {
  size_t cut = 0;
  for (const Driver& driver : drivers) {
    cut += at_calls_on(driver, nodes.usual, step, live, [&](const Lives& lives, size_t call) {
      return lives.can_grow() || nodes.growing == nullptr || !lives.is_of_expansion(call);
    });
    if (nodes.growing != nullptr) {
      cut += at_calls_on(driver, nodes.growing, step, live, [](const Lives& lives, size_t call) {
        return lives.is_of_expansion(call);
      });
    }
    if (!is_long()) break;
  }
  return cut;
}

void check_plain_life(Lives& lives) {
  lives.plain();
  lives.check_reach();
  lives.print();
}

// One that grows, where there is one.
const MakeNode& growing_if_any(const Nodes& nodes) {
  return nodes.growing != nullptr ? nodes.growing : nodes.usual;
}

}  // namespace

void check_whole_life(const Driver& driver, const Nodes& nodes) {
  Lives lives(driver, growing_if_any(nodes));
  if (!lives.can_grow()) std::puts("SKIPPED: no filesystem can grow here");
  check_plain_life(lives);
}

void check_kills_between_calls(const Driver& driver, const Nodes& nodes) {
  Lives lives(driver, growing_if_any(nodes));
  lives.live({.kind = Kind::kKillBetween, .call = kEveryCall});
  lives.print();
}

void check_driver_restarts(const std::vector<Driver>& drivers, const Nodes& nodes) {
  at_calls(drivers, nodes, 1, [](Lives& lives, size_t call) {
    lives.live({.kind = Kind::kDriverRestart, .call = call});
  });
}

void check_lost_answers(const std::vector<Driver>& drivers, const Nodes& nodes) {
  at_calls(drivers, nodes, kCallsToNextKill, [](Lives& lives, size_t call) {
    lives.live({.kind = Kind::kKillBeforeAnswer, .call = call});
  });
}

void check_kills_during_calls(const std::vector<Driver>& drivers, const Nodes& nodes) {
  const size_t cut = at_calls(drivers, nodes, kCallsToNextKill, [](Lives& lives, size_t call) {
    const int moments = is_long() ? 8 : 3;
    for (int moment = 0; moment < moments; ++moment) {
      if (!is_long() && static_cast<size_t>(moment) != call % 3) continue;
      lives.live({.kind = Kind::kKillDuring,
                  .call = call,
                  .moment = static_cast<double>(moment + 1) / (moments + 1)});
    }
  });
  CHECK(cut > 0);
}

void check_plain_lives(const std::vector<Driver>& drivers, const Nodes& nodes) {
  for (const Driver& driver : drivers) {
    Lives lives(driver, nodes.usual);
    check_plain_life(lives);
  }
}

void check_restarts_at_each_row(const Driver& driver, const Nodes& nodes) {
  Lives lives(driver, nodes.usual);
  lives.live({.kind = Kind::kRestartAtEachRow});
  CHECK((lives.has_failed() || lives.restarts() == rows_of_calls(driver)));
  lives.print();
}

void check_lost_answers_at_each_row(const Driver& driver, const Nodes& nodes) {
  Lives lives(driver, nodes.usual);
  lives.live({.kind = Kind::kLostAnswerAtEachRow});
  CHECK((lives.has_failed() || lives.interrupted_rows() == rows_of_calls(driver)));
  lives.print();
}

void check_kills_at_each_row(const Driver& driver, const Nodes& nodes) {
  Lives lives(driver, nodes.usual);
  lives.plain();
  lives.live({.kind = Kind::kKillAtEachRow, .moment = 0.5});
  CHECK((lives.has_failed() || lives.cut_calls() > 0));
  CHECK((lives.has_failed() || lives.kills() >= 2 * rows_of_calls(driver)));
  lives.print();
}

}  // namespace longshore::test
