// Where the agent has its things on this system unless the configuration says otherwise, and how
// the addresses of endpoints are written.
//
// Threads: any; plain functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longshore::config {

#if defined(_WIN32)
inline constexpr const char* kConfigFile = R"(C:\ProgramData\Longshore\agent.toml)";
// Pipes have no folders, but their names may have backslashes.
inline constexpr const char* kRunDir = R"(\\.\pipe)";
inline constexpr const char* kControlDir = R"(\\.\pipe\longshore)";
inline constexpr const char* kControlPath = R"(\\.\pipe\longshore\control)";
inline constexpr const char* kAuditFile = R"(C:\ProgramData\Longshore\log\audit.jsonl)";
inline constexpr const char* kStateDir = R"(C:\ProgramData\Longshore\state)";
inline constexpr const char* kModuleDir = R"(C:\Program Files\Longshore\modules)";
inline constexpr const char* kModuleHost = R"(C:\Program Files\Longshore\longshore-modulehost.exe)";
inline constexpr const char* kAddressForm = "npipe:////./pipe/name";
inline constexpr const char* kExampleAddress = "npipe:////./pipe/longshore-all";
#else
inline constexpr const char* kConfigFile = "/etc/longshore/agent.toml";
inline constexpr const char* kRunDir = "/run/longshore";
inline constexpr const char* kControlDir = "/run/longshore-control";
inline constexpr const char* kControlPath = "/run/longshore-control/control.sock";
inline constexpr const char* kAuditFile = "/var/log/longshore/audit.jsonl";
inline constexpr const char* kStateDir = "/var/lib/longshore";
inline constexpr const char* kModuleDir = "/usr/lib/longshore";
inline constexpr const char* kModuleHost = "/usr/libexec/longshore/longshore-modulehost";
inline constexpr const char* kAddressForm = "unix:///absolute/path";
inline constexpr const char* kExampleAddress = "unix:///run/longshore/all/all.sock";
#endif

// The socket or pipe of an address: "/run/x.sock" of "unix:///run/x.sock", "\\.\pipe\x" of
// "npipe:////./pipe/x". Only of one that nothing is wrong with.
std::string path_of_address(std::string_view address);

// The path that is meant. On Windows what begins with %CONTAINER_SANDBOX_MOUNT_POINT% lies below
// the root of the HostProcess container that this process is in, which its environment names:
// containerd puts it into command lines only. Without that variable, and anywhere else, a path
// stays as written.
std::string expanded_path(const std::string& written);

// Pipes are absolute paths too.
bool is_absolute(const std::string& path);

// What is wrong with an address, to follow a key's name; "": nothing.
std::string complaint_about_address(const std::string& address);

// What all spellings of a socket's or pipe's path have in common: names of pipes are the same in
// any letter case.
std::string compared_path(const std::string& path);

// What the paths of the agent's own sockets and pipes begin with, and no others may. On Windows
// pipes of csi-proxy's names are free where the agent itself serves none.
std::vector<std::string> own_beginnings(const std::string& control_dir, const std::string& run_dir,
                                        bool serves_csi_proxy);

// Whether what the control socket is in could be given to containers with what run_dir is.
bool is_control_exposed(const std::string& control_dir, const std::string& run_dir);

}  // namespace longshore::config
