// The service: typed handlers, which any thread may call at any time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "acme/shelf/v1.pb.h"
#include "longshore/service.hpp"

namespace acme::shelf {

class Shelf {
 public:
  void set_capacity(int64_t capacity) { capacity_ = capacity; }

  longshore::Result<v1::PutBoxResponse> put_box(longshore::Context context,
                                                const v1::PutBoxRequest& request);
  longshore::Result<v1::GetBoxResponse> get_box(longshore::Context context,
                                                const v1::GetBoxRequest& request);
  longshore::Result<void> list_boxes(longshore::Context context,
                                     const v1::ListBoxesRequest& request,
                                     longshore::Stream<v1::Box>& boxes);

 private:
  int64_t capacity_ = 0;
  std::mutex mutex_;
  std::map<std::string, std::string> boxes_;  // contents by name
};

}  // namespace acme::shelf
