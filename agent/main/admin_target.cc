#include "main/admin_target.h"

#include <utility>

namespace longshore {

AdminTarget::AdminTarget(router::Router& router, std::string name,
                         std::map<std::string, Handler> handlers)
    : router_(router), pool_(router.timers(), std::move(name), 1), handlers_(std::move(handlers)) {}

Result<void> AdminTarget::submit(std::shared_ptr<router::Call> call) {
  pool_.post(std::move(call));
  return {};
}

void AdminTarget::execute(router::Call& call) {
  Result<std::string> response = Error::of_text(
      StatusCode::kUnimplemented, "the agent does not serve " + call.method().full_name);
  const auto handler = handlers_.find(call.method().full_name);
  if (handler != handlers_.end()) response = handler->second(call.request());
  if (response) call.send(*response);
  router_.calls().remove(call.handle());
  if (response) {
    call.finish(StatusCode::kOk, {});
  } else {
    call.finish(response.error().code(), response.error().message());
  }
}

}  // namespace longshore
