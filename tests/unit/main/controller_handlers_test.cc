// What longshorectl is told of controllers.
#include "main/controller_handlers.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

namespace longshore {
namespace {

using namespace std::chrono_literals;
using module::v1::QueuedObject;

observe::StatusReport two_controllers() {
  observe::StatusReport report;
  report.modules = {{.name = "disk"},
                    {.name = "attacher", .is_controller = true, .state = "serving"},
                    {.name = "resizer", .is_controller = true, .state = "waiting"}};
  return report;
}

TEST_CASE("Controllers are told of with their queues and leases, modules are not") {
  auto report = two_controllers();
  observe::WorkQueueSeries queue{.module = "attacher", .name = "va", .depth = 3};
  queue.adds = 4;
  queue.retries = 5;
  queue.running = 2;
  queue.delayed = 6;
  queue.oldest_seconds = 7.5;
  queue.longest_running_seconds = 0.25;
  report.work_queues = {queue, {.module = "gone", .name = "of nobody"}};
  report.leases = {{.name = "l",
                    .leads = true,
                    .since_renewed = 2s,
                    .duration = 15s,
                    .controllers = {"attacher", "other"}},
                   {.controllers = {"resizer"}}};
  report.kube_requests.rates = {{"objects", 12.5, 8, 40ms}};
  const auto message = controllers_message(report);
  REQUIRE(message.modules_size() == 2);
  const auto& attacher = message.modules(0);
  CHECK(attacher.name() == "attacher");
  CHECK(attacher.is_controller());
  REQUIRE(attacher.work_queues_size() == 1);
  CHECK(attacher.work_queues(0).name() == "va");
  CHECK(attacher.work_queues(0).depth() == 3);
  CHECK(attacher.work_queues(0).adds() == 4);
  CHECK(attacher.work_queues(0).retries() == 5);
  CHECK(attacher.work_queues(0).running() == 2);
  CHECK(attacher.work_queues(0).delayed() == 6);
  CHECK(attacher.work_queues(0).oldest_ms() == 7500);
  CHECK(attacher.work_queues(0).longest_running_ms() == 250);
  CHECK(attacher.lease().name() == "l");
  CHECK(attacher.lease().leads());
  CHECK(attacher.lease().since_renewed_ms() == 2000);
  const auto& resizer = message.modules(1);
  CHECK(resizer.work_queues().empty());
  CHECK(resizer.has_lease());
  CHECK_FALSE(resizer.lease().leads());
  CHECK(resizer.lease().since_renewed_ms() == 0);
  REQUIRE(message.request_rates_size() == 1);
  CHECK(message.request_rates(0).limit() == "objects");
  CHECK(message.request_rates(0).per_second() == 12.5);
  CHECK(message.request_rates(0).waiting() == 8);
  CHECK(message.request_rates(0).last_wait_ms() == 40);
}

TEST_CASE("A controller without a lease has none, and one's impossible figures are the most") {
  auto report = two_controllers();
  observe::WorkQueueSeries queue{.module = "attacher", .name = "a\n"};
  queue.depth = std::numeric_limits<uint64_t>::max();
  queue.oldest_seconds = std::numeric_limits<double>::max();
  report.work_queues = {queue};
  const auto message = controllers_message(report);
  CHECK_FALSE(message.modules(0).has_lease());
  CHECK(message.request_rates().empty());
  CHECK(message.modules(0).work_queues(0).name() == "a\\n");
  CHECK(message.modules(0).work_queues(0).depth() == std::numeric_limits<int64_t>::max());
  CHECK(message.modules(0).work_queues(0).oldest_ms() == std::numeric_limits<int64_t>::max());
}

TEST_CASE("The last error of an object is the one of the last try that failed") {
  module::v1::DescribeObjectResponse described;
  QueuedObject& object = *described.add_objects();
  object.set_queue("va");
  object.set_state(QueuedObject::STATE_DELAYED);
  object.set_since_unix_ms(10);
  object.set_tries(3);
  object.set_next_try_unix_ms(20);
  for (const char* const error : {"first", "second", ""}) {
    auto& last = *object.add_last_tries();
    last.set_began_unix_ms(1000 * object.last_tries_size());
    last.set_took_us(5000);
    last.set_error(error);
    last.set_is_done(object.last_tries_size() == 3);
  }
  const auto message = object_message(described);
  REQUIRE(message.objects_size() == 1);
  const auto& told = message.objects(0);
  CHECK(told.queue() == "va");
  CHECK(told.state() == "delayed");
  CHECK(told.since_unix_ms() == 10);
  CHECK(told.tries() == 3);
  CHECK(told.next_try_unix_ms() == 20);
  REQUIRE(told.last_tries_size() == 3);
  CHECK(told.last_tries(0).error() == "first");
  CHECK(told.last_tries(2).done());
  CHECK(told.last_error() == "second");
  CHECK(told.last_error_unix_ms() == 2005);
}

TEST_CASE("An object's impossible times are told as times, and states that are none as unknown") {
  const int64_t odd =
      GENERATE(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  module::v1::DescribeObjectResponse described;
  QueuedObject& object = *described.add_objects();
  object.set_state(static_cast<QueuedObject::State>(99));
  object.set_since_unix_ms(odd);
  object.set_next_try_unix_ms(odd);
  object.set_tries(std::numeric_limits<uint64_t>::max());
  object.add_last_tries()->set_began_unix_ms(odd);
  object.mutable_last_tries(0)->set_took_us(odd);
  const auto message = object_message(described);
  const auto& told = message.objects(0);
  constexpr int64_t kLastOf9999 = 253'402'300'799'999;
  const int64_t expected = odd < 0 ? 0 : kLastOf9999;
  CHECK(told.state() == "unknown");
  CHECK(told.since_unix_ms() == expected);
  CHECK(told.next_try_unix_ms() == expected);
  CHECK(told.tries() == std::numeric_limits<int64_t>::max());
  CHECK(told.last_tries(0).began_unix_ms() == expected);
  CHECK(told.last_tries(0).took_us() >= 0);
  CHECK(told.last_error_unix_ms() == expected);
}

}  // namespace
}  // namespace longshore
