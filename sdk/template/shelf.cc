#include "shelf.h"

namespace acme::shelf {

using longshore::Context;
using longshore::Error;
using longshore::Result;
using longshore::StatusCode;

Result<v1::PutBoxResponse> Shelf::put_box(Context context, const v1::PutBoxRequest& request) {
  if (request.name().empty()) {
    return Error(StatusCode::kInvalidArgument, "put a box").because("it has no name");
  }
  const std::lock_guard lock(mutex_);
  const bool is_new = boxes_.find(request.name()) == boxes_.end();
  if (is_new && boxes_.size() >= static_cast<size_t>(capacity_)) {
    return Error(StatusCode::kResourceExhausted, "put the box", request.name())
        .because("the shelf holds " + std::to_string(capacity_))
        .advise("raise the setting \"capacity\"");
  }
  boxes_[request.name()] = request.content();
  context.log(LONGSHORE_LOG_INFO, "put a box onto the shelf");
  return v1::PutBoxResponse();
}

Result<v1::GetBoxResponse> Shelf::get_box(Context, const v1::GetBoxRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto found = boxes_.find(request.name());
  if (found == boxes_.end()) {
    return Error(StatusCode::kNotFound, "get the box", request.name()).because("there is none");
  }
  v1::GetBoxResponse response;
  response.mutable_box()->set_name(found->first);
  response.mutable_box()->set_content(found->second);
  return response;
}

Result<void> Shelf::list_boxes(Context, const v1::ListBoxesRequest&,
                               longshore::Stream<v1::Box>& boxes) {
  std::map<std::string, std::string> copy;  // sending waits for the reader: not under the lock
  {
    const std::lock_guard lock(mutex_);
    copy = boxes_;
  }
  for (const auto& [name, content] : copy) {
    v1::Box box;
    box.set_name(name);
    box.set_content(content);
    if (!boxes.send(box)) return Error(StatusCode::kCancelled, "list the boxes");
  }
  return {};
}

}  // namespace acme::shelf
