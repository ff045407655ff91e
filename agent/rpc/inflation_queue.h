// The compressed messages of one connection, inflated one after the other on the threads of an
// Inflater, so many bytes a second.
//
//   add() ──► waiting ──► at the inflater ──► `done`, on the connection's executor
//
// Threads: the connection's executor. Owner: the connection.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "longshore/result.hpp"
#include "rpc/limits.h"

namespace longshore::rpc {

class Inflater;

class InflationQueue {
 public:
  using Clock = std::chrono::steady_clock;
  // Runs something on the connection's executor; from any thread, and after the connection's end.
  using Post = std::function<void(std::function<void()>)>;

  // Null: nothing can be inflated.
  InflationQueue(const Limits& limits, Inflater* inflater, Post post)
      : limits_(limits), inflater_(inflater), post_(std::move(post)) {}

  // `done` comes later, unless the connection ends before.
  void add(std::string message, std::function<void(Result<std::string>)> done);
  // Nobody is told any more.
  void close();

 private:
  struct Item {
    std::string message;
    std::function<void(Result<std::string>)> done;
  };

  void start_next();
  void finish(Result<std::string> plain);
  // False: it has had its share of this second.
  bool has_share(Clock::time_point now);

  const Limits& limits_;
  Inflater* const inflater_;
  const Post post_;
  std::list<Item> waiting_;  // the first is at the inflater when `busy_`; empty it takes no memory
  bool busy_ = false;
  Clock::time_point share_at_{};
  double share_ = 0;  // bytes; below zero after a large message
};

}  // namespace longshore::rpc
