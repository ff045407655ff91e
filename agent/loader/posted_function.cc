#include "loader/posted_function.h"

#include "loader/host_side.h"

namespace longshore::loader {

void PostedFunction::on_time() {
  side_->post_is_due(std::static_pointer_cast<PostedFunction>(shared_from_this()));
}

void PostedFunction::run_with(longshore_result answer) {
  if (ran_.exchange(true)) return;
  function_(user_, answer);
  side_->post_ended(*this);
}

}  // namespace longshore::loader
