// A thread that nobody waits for.
//
// It begins once it is detached. In winpthreads, whose threads the builds with mingw have, a thread
// that ends before it is detached is given back twice: two threads that begin later get one
// another's functions, so that one runs twice and the other never.
#pragma once

#include <future>
#include <thread>
#include <utility>

namespace longshore::router {

// Runs `function` on a thread of its own. Throws std::system_error where the system has none.
// Threads: any.
template <typename Function>
void start_detached_thread(Function function) {
  std::promise<void> detached;
  std::thread([function = std::move(function), begin = detached.get_future()]() mutable {
    begin.wait();
    function();
  }).detach();
  detached.set_value();
}

}  // namespace longshore::router
