#include "main/admin_target.h"

#include <utility>

#include "router/module_wait.h"

namespace longshore {

AdminTarget::AdminTarget(router::Timers& timers, std::string name,
                         std::map<std::string, Handler> handlers, Names changing, Names asking)
    : changes_(timers, name, 1),
      questions_(timers, name + "-read", 1),
      module_questions_(timers, name + "-ask", 4),
      handlers_(std::move(handlers)),
      changing_(std::move(changing)),
      asking_(std::move(asking)) {}

Result<void> AdminTarget::submit(std::shared_ptr<router::Call> call) {
  if (changing_.contains(call->method().name)) {
    post([call = std::move(call)] { call->run(); });
  } else if (asking_.contains(call->method().name)) {
    module_questions_.post(std::move(call));
  } else {
    questions_.post(std::move(call));
  }
  return {};
}

void AdminTarget::post(std::function<void()> function) {
  progress_->on_begin();
  changes_.post([function = std::move(function), progress = progress_] {
    const router::WatchedThread watched(*progress);
    function();
    progress->on_end();
  });
}

void AdminTarget::execute(router::Call& call) {
  Result<std::string> response = Error::of_text(
      StatusCode::kUnimplemented, "the agent does not serve " + call.method().full_name);
  const auto handler = handlers_.find(call.method().name);
  if (handler != handlers_.end()) response = handler->second(call.request());
  if (response) call.send(*response);
  if (response) {
    call.finish(StatusCode::kOk, {});
  } else {
    call.finish(response.error().code(), response.error().message());
  }
}

}  // namespace longshore
