// What the agent's own endpoints are called: sockets in folders on Linux, named pipes on Windows.
//
// Threads: any; plain functions.
#pragma once

#include <string>

#include "config/settings.h"

namespace longshore::endpoint {

// "/run/longshore-control/control.sock", "\\.\pipe\longshore\control"
std::string control_path(const config::AgentSettings& agent);

// `name`: "disk-v1". "/run/longshore/csi-proxy/disk-v1/csi-proxy-disk-v1.sock",
// "\\.\pipe\csi-proxy-disk-v1"
std::string csi_proxy_path(const config::AgentSettings& agent, const std::string& name);

// "disk-v1" for such a path, and "" for every other.
std::string csi_proxy_name(const config::AgentSettings& agent, const std::string& path);

// As Kubernetes writes it: "unix:///run/...", "npipe:////./pipe/..."
std::string endpoint_address(const std::string& path);

// Whether it is a file, which somebody could take away or replace.
bool is_file(const std::string& path);

}  // namespace longshore::endpoint
