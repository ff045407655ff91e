// A module with work queues, of which the agent can tell people: their figures in /metrics and
// `longshorectl controllers`, and what happened to one object.
//
//   class Shelves final : public longshore::WorkQueueModule {
//     longshore::Result<void> start(const longshore::Settings&, std::string_view) override {
//       queue_.emplace(host(), "shelves", ...);
//       serve_work_queues({&*queue_});
//       return {};
//     }
//     std::optional<longshore::WorkQueue> queue_;
//   };
//
// The description names the services longshore.module.v1.Metrics and longshore.module.v1.Objects,
// and longshore_add_module in CMake longshore/module/metrics.proto and
// longshore/module/objects.proto among the PROTOS.
//
// Threads and owner: as the module. The queues live as long as it serves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longshore/module.hpp"
#include "longshore/work_queue.hpp"
#include "longshore/work_queue_figures.hpp"
#include "longshore/work_queue_objects.hpp"

namespace longshore {

class WorkQueueModule : public Module {
 public:
  static constexpr uint16_t kAbiMinorNeeded = 2;  // timers

 protected:
  // [control] In `start`, once.
  void serve_work_queues(std::vector<const WorkQueue*> queues) {
    queues_ = std::move(queues);
    add_service(kMetricsService, *this).unary("Collect", &WorkQueueModule::collect);
    add_service(kObjectsService, *this).unary("Describe", &WorkQueueModule::describe);
  }

  // [any] Why the module does nothing for an object that it is asked for, such as "is of another
  // driver"; empty: it would. Must not block.
  virtual std::string why_nothing(const module::v1::DescribeObjectRequest& request) {
    static_cast<void>(request);
    return {};
  }

 private:
  Result<module::v1::CollectMetricsResponse> collect(Context,
                                                     const module::v1::CollectMetricsRequest&) {
    module::v1::CollectMetricsResponse response;
    for (const WorkQueue* const queue : queues_) add_figures(*queue, response);
    return response;
  }

  Result<module::v1::DescribeObjectResponse> describe(
      Context, const module::v1::DescribeObjectRequest& request) {
    auto response = describe_object(queues_, request);
    response.set_why_nothing(why_nothing(request));
    return response;
  }

  std::vector<const WorkQueue*> queues_;
};

}  // namespace longshore
