#include "loader/instance.h"

#include <utility>

namespace longshore::loader {

using router::Clock;

Instance::Instance(std::shared_ptr<ModuleCode> code, InstanceOptions options,
                   router::Router& router, observe::Log& log)
    : code_(std::move(code)),
      options_(std::move(options)),
      lifecycle_(options_.lifecycle ? options_.lifecycle
                                    : std::make_shared<Lifecycle>(options_.name, log)),
      router_(router),
      log_(log),
      call_log_(log, router.timers(), options_.name),
      pool_(router.timers(), options_.name, options_.max_concurrent_calls),
      notifications_(router.timers(), options_.name + "-notify", 1),
      admission_(options_, *lifecycle_),
      host_({options_, router, log, pool_, notifications_, gate_, admission_,
             [this] { start_waiting_calls(); }},
            *code_) {}

Instance::~Instance() {
  if (!self_) host_.give_back_table();  // ended well: nothing of it is left
}

Instance::Figures Instance::figures() const {
  Figures figures;
  static_cast<Admission::Figures&>(figures) = admission_.figures();
  if (std::string said = host_.degraded(); !said.empty()) {
    figures.degraded = figures.degraded.empty() ? said : said + "; " + figures.degraded;
  }
  figures.state = lifecycle_->state();
  figures.reason = lifecycle_->reason();
  figures.threads = pool_.threads();
  figures.violations = host_.violations().count();
  figures.last_violation = host_.violations().last();
  if (const auto process = code_->process()) {
    figures.violations += process->violations;
    if (process->violations > 0) figures.last_violation = process->last_violation;
  }
  const std::lock_guard lock(mutex_);
  if (started_at_ != Clock::time_point()) {
    figures.uptime =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_at_);
  }
  return figures;
}

}  // namespace longshore::loader
