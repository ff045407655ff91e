// The controller external-attacher: its settings, and its beginning and end.
#include <optional>
#include <string>
#include <utility>

#include "attacher.h"
#include "longshore/csi_address.hpp"
#include "longshore/work_queue_module.hpp"
#include "module_description.h"

namespace longshore::external_attacher {

class ExternalAttacherModule final : public WorkQueueModule {
 public:
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
    serve_work_queues(attacher_->queues());
    return {};
  }

  Result<std::string> stop(Context) override {
    attacher_->stop();
    return std::string();
  }

 private:
  std::string why_nothing(const module::v1::DescribeObjectRequest& request) override {
    return attacher_->why_nothing(request.kind(), request.key());
  }

  std::optional<Attacher> attacher_;
};

}  // namespace longshore::external_attacher

LONGSHORE_MODULE(longshore::external_attacher::ExternalAttacherModule,
                 "longshore-external-attacher", "0.1.0", "Longshore")
