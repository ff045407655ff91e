// What the service tells Windows' event log, where administrators look first: its start, its end,
// and the error that ended it. All else is in the agent's own log.
//
// Threads: any; a plain function.
#pragma once

#include <cstdint>
#include <string_view>

namespace longshore {

// Numbers of messages in events.mc, which is a resource of longshored.exe: `longshorectl service
// install` names that as the source's file.
enum class ServiceEvent : uint32_t {
  kServes = 0x40000001,
  kStopped = 0x40000002,
  kFailed = 0xC0000003,
};

// `text` ends the event's sentence. An event that cannot be written is left out: the agent's log
// and the service's exit code tell the same.
void tell_event(ServiceEvent event, std::string_view text);

}  // namespace longshore
