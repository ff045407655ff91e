// `longshorectl controllers`: how they are, and what happened to one of their objects.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "longshore/admin/v1.pb.h"
#include "tools/longshorectl/admin_call.h"
#include "tools/longshorectl/commands.h"
#include "tools/longshorectl/module_view.h"
#include "tools/longshorectl/table.h"
#include "tools/longshorectl/time_text.h"

namespace longshore::ctl {
namespace {

namespace messages = longshore::admin::v1;

// Of all its queues together.
std::string queued_of(const messages::Module& controller) {
  if (controller.work_queues().empty()) return "-";
  uint64_t depth = 0;  // which may be anything that a module says
  for (const auto& queue : controller.work_queues()) depth += static_cast<uint64_t>(queue.depth());
  return std::to_string(depth);
}

std::string oldest_of(const messages::Module& controller) {
  int64_t oldest = 0;
  for (const auto& queue : controller.work_queues()) {
    if (queue.depth() > 0) oldest = std::max(oldest, queue.oldest_ms());
  }
  return oldest == 0 ? "-" : duration_text(oldest);
}

const char* leader_word(const messages::Module& controller) {
  if (!controller.has_lease()) return "-";
  return controller.lease().leads() ? "yes" : "no";
}

void show_controllers(const messages::ListControllersResponse& response, const Report& report) {
  Table table({"CONTROLLER", "STATE", "SINCE", "RESTARTS", "QUEUED", "OLDEST", "LEADER",
               "REASON OR LAST FAILURE"});
  for (const auto& controller : response.modules()) {
    std::string reason = controller.reason();
    if (reason.empty() && !controller.last_failure().empty()) {
      reason = "before: " + controller.last_failure();
    }
    table.add({controller.name(), state_cell(controller), since_of(controller),
               std::to_string(controller.restarts()), queued_of(controller), oldest_of(controller),
               leader_word(controller), reason});
  }
  report.line(table.text(report.paint()));
}

// 12.5
std::string rate_text(double per_second) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f", per_second);
  return text;
}

// How requests to the API server are throttled.
void show_rates(const messages::ListControllersResponse& response, const Report& report) {
  if (response.request_rates().empty()) return;
  Table table({"REQUESTS FOR", "LIMIT PER SECOND", "WAITING", "LAST WAITED"});
  for (const auto& rate : response.request_rates()) {
    table.add(
        {rate.limit(),
         rate_text(rate.per_second()),
         {std::to_string(rate.waiting()), rate.waiting() > 0 ? Tone::kAttention : Tone::kPlain},
         duration_text(rate.last_wait_ms())});
  }
  report.line("\n" + table.text(report.paint()));
}

std::string state_of(const messages::QueuedObject& object) {
  std::string state = object.state();
  if (object.since_unix_ms() != 0) state += " since " + time_text(object.since_unix_ms());
  return state + (object.added_again() ? ", and to be looked at once more" : "");
}

void show_object(const std::string& name, const messages::QueuedObject& object,
                 const Report& report) {
  Table facts;
  facts.add({"object", name});
  facts.add({"queue", object.queue()});
  facts.add({"state", state_of(object)});
  facts.add({"tries", std::to_string(object.tries()) + " since it was last done"});
  if (object.next_try_unix_ms() != 0) {
    facts.add({"next try", time_text(object.next_try_unix_ms())});
  }
  if (object.last_error_unix_ms() != 0) {
    facts.add({"last error", time_text(object.last_error_unix_ms()) + "  " + object.last_error()});
  }
  report.line(facts.text(report.paint()));
  if (object.last_tries().empty()) return;
  Table tries({"TRIED AT", "TOOK", "OUTCOME"});
  for (const auto& each : object.last_tries()) {
    tries.add({time_text(each.began_unix_ms()),
               short_time_text(each.took_us()),
               {each.done() ? "done" : each.error(), each.done() ? Tone::kGood : Tone::kBad}});
  }
  report.line("\n" + tries.text(report.paint()));
}

}  // namespace

int list_controllers(const Target& target, const Report& report, const std::string& name) {
  messages::ListControllersResponse response;
  if (const auto fault =
          call_control(target, "ListControllers", messages::ListControllersRequest(), response)) {
    return report.fail(fault->exit_code, fault->error);
  }
  if (auto kept = keep_named(*response.mutable_modules(), "controller", name); !kept) {
    return report.fail(kExitCallFailed, kept.error());
  }
  if (report.json()) {
    report.message(response);
    return kExitOk;
  }
  if (name.empty()) {
    show_controllers(response, report);
  } else {
    show_module(response.modules(0), report);
  }
  show_rates(response, report);
  return kExitOk;
}

int describe_object(const Target& target, const Report& report, const std::string& controller,
                    const std::string& object) {
  messages::DescribeObjectRequest request;
  request.set_controller(controller);
  request.set_object(object);
  return ask_agent<messages::DescribeObjectResponse>(
      target, report, "DescribeObject", request,
      [&](const messages::DescribeObjectResponse& response) {
        for (const auto& each : response.objects()) {
          if (&each != &response.objects(0)) report.line(std::string());
          show_object(object, each, report);
        }
      });
}

}  // namespace longshore::ctl
