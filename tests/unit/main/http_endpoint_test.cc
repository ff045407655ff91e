// The HTTP endpoint where the system gives no thread: pthread_create as this program has it fails
// when it is told to.
#include "main/http_endpoint.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>

#include "tests/support/temporary_directory.h"

namespace {

std::atomic<bool> refuses_threads{false};

}  // namespace

extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (refuses_threads) return EAGAIN;
  return create(thread, attributes, function, argument);
}

namespace longshore {
namespace {

TEST_CASE("HTTP that has no thread is told, and is tried again until it has one") {
  const test::TemporaryDirectory folder;
  const std::string socket = folder / "http/http.sock";
  const auto log = observe::Log::open({.file = folder / "log"});
  REQUIRE(log);
  boost::asio::io_context io;
  const std::shared_ptr<HttpService> controllers = HttpService::make().value();
  const auto http = HttpEndpoint::make({.address = "unix://" + socket},
                                       {io, [] { return observe::StatusReport(); }, nullptr,
                                        *controllers, "agent.http.address", **log});
  REQUIRE(http);
  REQUIRE(http->listen());
  refuses_threads = true;
  http->start();
  REQUIRE(http->trouble());
  CHECK_THAT(http->trouble()->reason, Catch::Contains("cannot start a thread for \"HTTP\""));
  CHECK((*log)->problems().all().size() == 1);
  CHECK_FALSE(std::filesystem::exists(socket));
  io.run_one_for(std::chrono::seconds(30));  // the first retry
  CHECK(http->trouble());
  CHECK((*log)->problems().all().size() == 1);
  refuses_threads = false;
  io.run_one_for(std::chrono::seconds(30));
  CHECK_FALSE(http->trouble());
  CHECK(std::filesystem::is_socket(socket));
  CHECK(io.run_one_for(std::chrono::seconds(0)) == 0);
}

}  // namespace
}  // namespace longshore
