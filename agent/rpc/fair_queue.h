// Shares an executor's time between flows: a flow whose connections have very much to do is as far
// behind as one that has little.
//
//   bytes were read ──► is_free(): the connection acts on them at once, and tells how much that was
//                  └──► enter(): in a turn of its own, later; a turn ends after kQuantum
//
// Flows take turns, whatever the number of their connections; those of one flow come in the order
// of entering. Between two turns the executor runs every handler that is ready, so that whoever has
// something new to do enters before much else is done.
//
// Threads: the executor's. Owner: who owns the executor; outlives the flows' connections' work.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <utility>

namespace longshore::rpc {

class FairQueue {
 public:
  // What a turn may do, roughly: frames and header fields that were received. 25 calls, or some
  // tenths of a millisecond at most.
  static constexpr size_t kQuantum = 256;

  class Turn {
   public:
    // What is left then enters again. Throws nothing.
    virtual void take_turn() = 0;

   protected:
    ~Turn() = default;
  };

  // Those who have one share of the time together, such as the clients of an endpoint.
  class Flow {
   public:
    explicit Flow(FairQueue& queue) : queue_(queue) {}

   private:
    friend FairQueue;
    FairQueue& queue_;
    std::deque<std::shared_ptr<Turn>> waiting_;
  };

  explicit FairQueue(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  ~FairQueue();
  FairQueue(const FairQueue&) = delete;
  FairQueue& operator=(const FairQueue&) = delete;

  // Whether something may be done without a turn: nobody waits for one, and not much was done since
  // the executor last ran everything that was ready.
  static bool is_free(const Flow& flow) {
    return flow.queue_.active_.empty() && flow.queue_.done_ < kQuantum;
  }
  static void add_done(Flow& flow, size_t work) { flow.queue_.done_ += work; }

  // Once until its turn. Throws std::bad_alloc, and has not entered then.
  static void enter(const std::shared_ptr<Flow>& flow, std::shared_ptr<Turn> turn);

 private:
  void post_next();
  void run_next();

  const boost::asio::any_io_executor executor_;
  std::list<std::shared_ptr<Flow>> active_;  // flows that wait; the first is next
  bool posted_ = false;                      // the next turn
  size_t done_ = 0;
};

}  // namespace longshore::rpc
