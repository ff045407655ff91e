// libsystemd's sd-bus, loaded when it is first needed.
//
// Linked in the usual way it would cost every agent with this module a megabyte of memory, and most
// are never asked about a service. The library is never unloaded.
//
// Threads: immutable once loaded. What sd-bus makes (buses, messages) belongs to one thread at a
// time.
#pragma once

#include <systemd/sd-bus.h>

#include "longshore/result.hpp"

namespace longshore::system {

// The functions by their own names, without the prefix "sd_".
struct SdBusLibrary {
  decltype(&::sd_bus_new) bus_new = nullptr;
  decltype(&::sd_bus_close_unref) bus_close_unref = nullptr;
  decltype(&::sd_bus_set_address) bus_set_address = nullptr;
  decltype(&::sd_bus_set_bus_client) bus_set_bus_client = nullptr;
  decltype(&::sd_bus_start) bus_start = nullptr;
  decltype(&::sd_bus_is_ready) bus_is_ready = nullptr;
  decltype(&::sd_bus_process) bus_process = nullptr;
  decltype(&::sd_bus_wait) bus_wait = nullptr;
  decltype(&::sd_bus_call) bus_call = nullptr;
  decltype(&::sd_bus_add_filter) bus_add_filter = nullptr;
  decltype(&::sd_bus_error_free) bus_error_free = nullptr;
  decltype(&::sd_bus_message_unref) bus_message_unref = nullptr;
  decltype(&::sd_bus_message_new_method_call) bus_message_new_method_call = nullptr;
  decltype(&::sd_bus_message_append_basic) bus_message_append_basic = nullptr;
  decltype(&::sd_bus_message_read_basic) bus_message_read_basic = nullptr;
  decltype(&::sd_bus_message_enter_container) bus_message_enter_container = nullptr;
  decltype(&::sd_bus_message_exit_container) bus_message_exit_container = nullptr;
  decltype(&::sd_bus_message_skip) bus_message_skip = nullptr;
  decltype(&::sd_bus_message_is_signal) bus_message_is_signal = nullptr;
  decltype(&::sd_bus_message_get_sender) bus_message_get_sender = nullptr;

  // UNAVAILABLE: this node has no libsystemd, or one that is too old.
  static Result<SdBusLibrary> load();
};

}  // namespace longshore::system
