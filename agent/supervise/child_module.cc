#include "supervise/child_module.h"

#include "loader/host_table.h"
#include "longshore/context.hpp"

namespace longshore::supervise {

// `self` is a shared_ptr of its own, so that the status can be asked for until the end.
struct ChildModule::Functions {
  using Self = std::shared_ptr<ChildInstance>;

  static ChildInstance& of(void* self) { return **static_cast<Self*>(self); }

  static void start(void* self, longshore_call call, longshore_bytes settings,
                    longshore_bytes handover) {
    of(self).start(call, to_view(settings), to_view(handover));
  }
  static void invoke(void* self, longshore_call call, longshore_bytes method,
                     longshore_bytes request) {
    of(self).invoke(call, to_view(method), to_view(request));
  }
  static void cancel(void* self, longshore_call call) { of(self).cancel(call); }
  static void writable(void* self, longshore_call call) { of(self).writable(call); }
  static void stop(void* self, longshore_call call) { of(self).stop(call); }
  static void destroy(void* self) {
    of(self).end();
    delete static_cast<Self*>(self);
  }

  static constexpr longshore_instance kTable = {
      sizeof(longshore_instance), 0, &start, &invoke, &cancel, &writable, &stop, &destroy};
};

ChildModule::ChildModule(loader::Inspection inspection, ChildOptions options, observe::Log& log)
    : ModuleCode(std::move(inspection.facts)),
      file_(std::move(inspection.file)),
      options_(std::move(options)),
      log_(log) {}

ChildModule::~ChildModule() = default;

longshore_result ChildModule::create(const longshore_host* host, void** self,
                                     const longshore_instance** functions) {
  const std::lock_guard lock(mutex_);
  instance_ = std::make_shared<ChildInstance>(
      ChildInstance::Parts{facts(), file_, options_, log_, &loader::set_waiting}, host);
  std::erase_if(by_host_, [](const auto& each) { return each.second.expired(); });
  by_host_[host] = instance_;
  *self = new Functions::Self(instance_);
  *functions = &Functions::kTable;
  return LONGSHORE_OK;
}

std::optional<loader::ModuleProcess> ChildModule::process() const {
  const std::lock_guard lock(mutex_);
  if (!instance_) return std::nullopt;
  return instance_->process();
}

bool ChildModule::kill(const longshore_host* host, const std::string& end) {
  std::shared_ptr<ChildInstance> instance;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_host_.find(host);
    if (found != by_host_.end()) instance = found->second.lock();
  }
  if (instance) instance->kill(end);
  return true;
}

}  // namespace longshore::supervise
