// How a CSI driver calls itself, in its answer to GetPluginInfo: all of CSI that the agent reads
// besides Probe.
//
// Threads: any; a plain function.
#pragma once

#include <cstddef>
#include <string>

namespace longshore::csi {

inline constexpr const char* kGetPluginInfo = "csi.v1.Identity/GetPluginInfo";

// What CSI allows.
inline constexpr size_t kMostDriverName = 63;

// Empty: it names none, or a longer one.
std::string driver_name_in(const std::string& response);

}  // namespace longshore::csi
