// The controller external-attacher: its settings, and its beginning and end.
#include "longshore/module.hpp"

#include <optional>
#include <string>
#include <utility>

#include "attacher.h"
#include "longshore/csi_address.hpp"
#include "longshore/work_queue_figures.hpp"
#include "module_description.h"

namespace longshore::external_attacher {

class ExternalAttacherModule final : public Module {
 public:
  static constexpr uint16_t kAbiMinorNeeded = 2;  // timers

  Result<void> start(const Settings& settings, std::string_view) override {
    Attacher::Options options;
    options.csi_address = settings.get_string("csi_address");
    if (auto path = csi_socket_path(options.csi_address); !path) return std::move(path).error();
    options.timeout = settings.get_duration("timeout");
    options.retry_interval_start = settings.get_duration("retry_interval_start");
    options.retry_interval_max = settings.get_duration("retry_interval_max");
    options.worker_threads = static_cast<size_t>(settings.get_int("worker_threads"));
    options.max_entries = static_cast<int>(settings.get_int("max_entries"));
    options.default_fs_type = settings.get_string("default_fstype");
    options.reconcile_sync = settings.get_duration("reconcile_sync");
    options.log = [this](longshore_log_level level, std::string_view text) { log(level, text); };
    options.set_degraded = [this](std::string_view reason) { set_degraded(reason); };
    attacher_.emplace(host(), std::move(options));
    attacher_->start();
    add_service(kMetricsService, *this).unary("Collect", &ExternalAttacherModule::collect);
    return {};
  }

  Result<std::string> stop(Context) override {
    attacher_->stop();
    return std::string();
  }

  Result<module::v1::CollectMetricsResponse> collect(Context,
                                                     const module::v1::CollectMetricsRequest&) {
    module::v1::CollectMetricsResponse response;
    for (const WorkQueue* queue : attacher_->queues()) add_figures(*queue, response);
    return response;
  }

 private:
  std::optional<Attacher> attacher_;
};

}  // namespace longshore::external_attacher

LONGSHORE_MODULE(longshore::external_attacher::ExternalAttacherModule,
                 "longshore-external-attacher", "0.1.0", "Longshore")
