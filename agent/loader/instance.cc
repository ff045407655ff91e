#include "loader/instance.h"

#include <utility>

namespace longshore::loader {

using router::Clock;

namespace {

std::shared_ptr<const router::Caller> caller_of(const InstanceOptions& options) {
  const std::string identity = "module:" + options.name;
  return std::make_shared<router::Caller>(router::Caller{
      identity, identity,
      options.may_call ? options.may_call
                       : std::make_shared<const std::set<std::string, std::less<>>>()});
}

}  // namespace

Instance::Instance(std::shared_ptr<ModuleCode> code, InstanceOptions options,
                   router::Router& router, observe::Log& log)
    : code_(std::move(code)),
      options_(std::move(options)),
      lifecycle_(options_.lifecycle ? options_.lifecycle
                                    : std::make_shared<Lifecycle>(options_.name, log)),
      router_(router),
      log_(log),
      module_log_(log),
      caller_(caller_of(options_)),
      bridge_(code_->take_bridge(options_.name)),
      pool_(router.timers(), options_.name, options_.max_concurrent_calls),
      notifications_(router.timers(), options_.name + "-notify", 1) {}

Instance::~Instance() {
  bridge_->disconnect();
  if (!self_) code_->give_back_bridge(bridge_);  // ended well: nothing of it is left
}

Instance::Figures Instance::figures() const {
  const std::lock_guard lock(mutex_);
  Figures figures;
  figures.state = lifecycle_->state();
  figures.reason = lifecycle_->reason();
  figures.running = running_;
  figures.waiting = waiting_.size();
  figures.threads = pool_.threads();
  figures.total = total_;
  figures.failed = failed_;
  figures.stuck = stuck_;
  figures.degraded = why_degraded();
  figures.violations = violations_.count();
  figures.last_violation = violations_.last();
  if (const auto process = code_->process()) {
    figures.violations += process->violations;
    if (process->violations > 0) figures.last_violation = process->last_violation;
  }
  if (started_at_ != Clock::time_point()) {
    figures.uptime =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_at_);
  }
  return figures;
}

}  // namespace longshore::loader
