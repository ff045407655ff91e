#include "loader/posted_function.h"

#include "loader/instance.h"

namespace longshore::loader {

void PostedFunction::on_time() {
  instance_->post_is_due(std::static_pointer_cast<PostedFunction>(shared_from_this()));
}

void PostedFunction::run_with(longshore_result answer) {
  if (ran_.exchange(true)) return;
  function_(user_, answer);
  instance_->post_ended(this);
}

}  // namespace longshore::loader
