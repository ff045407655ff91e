// The service control manager's answers with pointers in them, byte for byte as Windows documents
// them for 64 bits.
//
// In fixed-width types and without Windows' headers, so that what reads them runs under sanitizers
// and fuzzers on every system. service_queries.cc compares them with those headers. What an answer
// points at is a number, for PointedAnswer. A SERVICE_STATUS_PROCESS is none of them: it has
// neither pointers nor a size of its own, and is Windows' own structure where it is looked at.
//
// Threads: plain values.
#pragma once

#include <cstdint>

namespace longshore::system {

// QUERY_SERVICE_CONFIGW
struct ServiceConfigAnswer {
  uint32_t service_type;
  uint32_t start_type;
  uint32_t error_control;
  uint64_t program;  // the address of a text, as those that follow
  uint64_t load_order_group;
  uint32_t tag;
  uint64_t dependencies;  // several texts
  uint64_t account;
  uint64_t display_name;
};
static_assert(sizeof(ServiceConfigAnswer) == 64);

// ENUM_SERVICE_STATUSW
struct ServiceStatusAnswer {
  uint64_t name;  // the address of a text, as the next one
  uint64_t display_name;
  uint32_t service_type;
  uint32_t state;
  uint32_t accepted_controls;
  uint32_t exit_code;
  uint32_t specific_exit_code;
  uint32_t check_point;
  uint32_t wait_hint;
};
static_assert(sizeof(ServiceStatusAnswer) == 48);

constexpr uint32_t kServiceIsStopped = 1;  // SERVICE_STOPPED

}  // namespace longshore::system
