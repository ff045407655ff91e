#include "main/admin_target.h"

#include <utility>

namespace longshore {

AdminTarget::AdminTarget(router::Timers& timers, std::string name,
                         std::map<std::string, Handler> handlers,
                         std::set<std::string, std::less<>> changing)
    : changes_(timers, name, 1),
      questions_(timers, name + "-read", 1),
      handlers_(std::move(handlers)),
      changing_(std::move(changing)) {}

Result<void> AdminTarget::submit(std::shared_ptr<router::Call> call) {
  const bool changes = changing_.contains(call->method().full_name);
  (changes ? changes_ : questions_).post(std::move(call));
  return {};
}

void AdminTarget::execute(router::Call& call) {
  Result<std::string> response = Error::of_text(
      StatusCode::kUnimplemented, "the agent does not serve " + call.method().full_name);
  const auto handler = handlers_.find(call.method().full_name);
  if (handler != handlers_.end()) response = handler->second(call.request());
  if (response) call.send(*response);
  if (response) {
    call.finish(StatusCode::kOk, {});
  } else {
    call.finish(response.error().code(), response.error().message());
  }
}

}  // namespace longshore
