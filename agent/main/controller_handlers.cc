#include "main/controller_handlers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/collected_metrics.h"
#include "core/described_object.h"
#include "main/module_message.h"
#include "main/status_report.h"
#include "text/escape.h"

namespace longshore {
namespace {

namespace messages = admin::v1;
using module::v1::QueuedObject;

// A module's numbers may be any.
template <typename Number>
int64_t counted(Number number) {
  constexpr auto kMost = std::numeric_limits<int64_t>::max();
  return number >= static_cast<Number>(kMost) ? kMost : static_cast<int64_t>(number);
}

// Within what can be shown as a date, and added.
int64_t sane_time(int64_t unix_ms) {
  constexpr int64_t kYear10000 = 253'402'300'800'000;
  return std::clamp<int64_t>(unix_ms, 0, kYear10000 - 1);
}
int64_t sane_duration(int64_t microseconds) {
  constexpr int64_t kHundredYears = 100LL * 365 * 24 * 3600 * 1'000'000;
  return std::clamp<int64_t>(microseconds, 0, kHundredYears);
}

int64_t milliseconds(double seconds) { return counted(seconds * 1000); }
int64_t milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

const char* name_of(QueuedObject::State state) {
  switch (state) {
    case QueuedObject::STATE_DONE:
      return "done";
    case QueuedObject::STATE_QUEUED:
      return "queued";
    case QueuedObject::STATE_RUNNING:
      return "running";
    case QueuedObject::STATE_DELAYED:
      return "delayed";
    default:
      return "unknown";
  }
}

void fill(messages::WorkQueue& queue, const observe::WorkQueueSeries& series) {
  queue.set_name(text::escaped(series.name));
  queue.set_depth(counted(series.depth));
  queue.set_oldest_ms(milliseconds(series.oldest_seconds));
  queue.set_running(counted(series.running));
  queue.set_longest_running_ms(milliseconds(series.longest_running_seconds));
  queue.set_delayed(counted(series.delayed));
  queue.set_adds(counted(series.adds));
  queue.set_retries(counted(series.retries));
}

void fill(messages::QueuedObject& to, const QueuedObject& from) {
  to.set_queue(from.queue());
  to.set_state(name_of(from.state()));
  to.set_since_unix_ms(sane_time(from.since_unix_ms()));
  to.set_added_again(from.is_added_again());
  to.set_tries(counted(from.tries()));
  to.set_next_try_unix_ms(sane_time(from.next_try_unix_ms()));
  for (const auto& each : from.last_tries()) {
    auto& one = *to.add_last_tries();
    one.set_began_unix_ms(sane_time(each.began_unix_ms()));
    one.set_took_us(sane_duration(each.took_us()));
    one.set_done(each.is_done());
    one.set_error(each.error());
    if (each.is_done()) continue;
    to.set_last_error(each.error());
    to.set_last_error_unix_ms(sane_time(one.began_unix_ms() + one.took_us() / 1000));
  }
}

class ControllerHandlers {
 public:
  explicit ControllerHandlers(core::Core& core) : core_(core) {}

  Result<messages::ListControllersResponse> list(const messages::ListControllersRequest&) const {
    observe::StatusReport report;
    report.modules = module_reports(core_.modules);
    core_.host_services.add_to(report);
    report.work_queues = core::collected_work_queues(core_.modules.list());
    return controllers_message(report);
  }

  Result<messages::DescribeObjectResponse> describe(
      const messages::DescribeObjectRequest& request) const {
    const auto described =
        core::described_object(core_.modules.list(), request.controller(), request.object());
    if (!described) return described.error();
    return object_message(*described);
  }

 private:
  core::Core& core_;
};

}  // namespace

messages::ListControllersResponse controllers_message(const observe::StatusReport& report) {
  messages::ListControllersResponse response;
  for (const observe::ModuleReport& each : report.modules) {
    if (!each.is_controller) continue;
    messages::Module& controller = *response.add_modules();
    controller = module_message(each);
    for (const observe::WorkQueueSeries& series : report.work_queues) {
      if (series.module == each.name) fill(*controller.add_work_queues(), series);
    }
    for (const observe::LeaseReport& lease : report.leases) {
      if (std::ranges::find(lease.controllers, each.name) == lease.controllers.end()) continue;
      controller.mutable_lease()->set_name(lease.name);
      controller.mutable_lease()->set_leads(lease.leads);
      if (lease.leads) {
        controller.mutable_lease()->set_since_renewed_ms(milliseconds(lease.since_renewed));
      }
    }
  }
  for (const observe::KubeRateSeries& each : report.kube_requests.rates) {
    auto& rate = *response.add_request_rates();
    rate.set_limit(each.limit);
    rate.set_per_second(each.per_second);
    rate.set_waiting(static_cast<int64_t>(each.waiting));
    rate.set_last_wait_ms(milliseconds(each.last_wait));
  }
  return response;
}

messages::DescribeObjectResponse object_message(
    const module::v1::DescribeObjectResponse& described) {
  messages::DescribeObjectResponse response;
  for (const QueuedObject& each : described.objects()) fill(*response.add_objects(), each);
  return response;
}

std::map<std::string, AdminTarget::Handler> controller_handlers(core::Core& core) {
  const auto service = std::make_shared<ControllerHandlers>(core);
  return {{"ListControllers", typed_handler_of(service, &ControllerHandlers::list)},
          {"DescribeObject", typed_handler_of(service, &ControllerHandlers::describe)}};
}

}  // namespace longshore
