// A system that gives no threads: pthread_create as this program has it fails when it is told to.
#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>

#include "router/worker_pool.h"
#include "waiting.h"

namespace {

std::atomic<bool> refuses{false};
std::atomic<int> refused{0};

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (refuses) {
    ++refused;
    return EAGAIN;
  }
  return create(thread, attributes, function, argument);
}

namespace longshore::router {
namespace {

TEST_CASE("work that finds no thread waits for one") {
  Timers timers;
  WorkerPool pool(timers, "pool", 2);
  Watched<int> done;
  refuses = true;
  for (int i = 0; i < 3; ++i) {
    pool.post([&] { done.change([](int& count) { ++count; }); });
  }
  CHECK(pool.threads() == 0);
  // The pool goes on asking.
  const auto deadline = Clock::now() + std::chrono::seconds(30);
  while (refused < 5 && Clock::now() < deadline) std::this_thread::yield();
  CHECK(refused >= 5);
  refuses = false;
  CHECK(done.wait([](int count) { return count == 3; }));
  CHECK(pool.drain(Clock::now() + std::chrono::seconds(30)));
}

}  // namespace
}  // namespace longshore::router
