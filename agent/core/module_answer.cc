#include "core/module_answer.h"

#include <utility>

#include "router/module_wait.h"

namespace longshore::core {

bool ModuleAnswer::on_message(std::string message) {
  end(std::move(message));
  return true;
}

void ModuleAnswer::on_response(std::string message) { end(std::move(message)); }

void ModuleAnswer::on_finish(StatusCode code, std::string text) {
  if (code == StatusCode::kOk) return end(std::string());  // no message is an empty one
  end(Error::of_text(code, std::move(text)));
}

Result<std::string> ModuleAnswer::wait() {
  const router::ModuleWait waits;
  std::unique_lock lock(mutex_);
  has_come_.wait(lock, [this] { return answer_.has_value(); });
  return std::move(*answer_);
}

void ModuleAnswer::end(Result<std::string> answer) {
  const std::lock_guard lock(mutex_);
  if (answer_) return;
  answer_ = std::move(answer);
  has_come_.notify_all();
}

}  // namespace longshore::core
