#include "services/host_service_target.h"

namespace longshore::services {

Result<void> HostServiceTarget::submit(std::shared_ptr<router::Call> call) {
  call->run();
  return {};
}

void HostServiceTarget::execute(router::Call& call) {
  const auto begun = begin(call);
  if (!begun) call.finish(begun.error().code(), begun.error().message());
}

void HostServiceTarget::on_cancel(router::Call& call) {
  call.finish(StatusCode::kCancelled, "nobody listens any more");
}

}  // namespace longshore::services
