// What the service control manager's longer answers say: structures with pointers into the buffer
// that holds them.
//
// No count or address in them is believed before it was compared with the buffer; nothing is the
// answer where one of them lies.
//
// Threads: plain functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/windows/pointed_answer.h"

namespace longshore::system {

struct ServiceConfig {
  uint32_t start_type = 0;
  std::string display_name;
};

// Of a QUERY_SERVICE_CONFIGW at the front. No display name is an empty one.
std::optional<ServiceConfig> config_of(const support::PointedAnswer& answer);

// The names in so many ENUM_SERVICE_STATUSW at the front, of those that are not stopped.
std::optional<std::vector<std::string>> active_services_of(const support::PointedAnswer& answer,
                                                           uint64_t count);

}  // namespace longshore::system
