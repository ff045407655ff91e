// The service control manager has no heartbeat, and hears of the rest by ProcessControl.
#include "main/service_notify.h"

namespace longshore {

void notify_service_manager(std::string_view) {}
void send_heartbeat() {}
std::string reloading_state() { return "RELOADING=1"; }

}  // namespace longshore
