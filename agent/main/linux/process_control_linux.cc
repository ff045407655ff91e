// systemd sends signals, which the agent heeds itself.
#include "main/process_control.h"
#include "main/service_notify.h"

namespace longshore {
namespace {

class SystemdControl final : public ProcessControl {
 public:
  void notify(std::string_view state) override { notify_service_manager(state); }
  void serve(Agent*) override {}
};

}  // namespace

std::unique_ptr<ProcessControl> ProcessControl::make() {
  return std::make_unique<SystemdControl>();
}

}  // namespace longshore
