// The agent's configuration as plain values, read from TOML, complete and checked.
//
// What the keys mean is documented once, in the table of schema.cc, from which `longshorectl config
// sample` and the messages about unknown keys are made too. The defaults stand here.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/system_paths.h"

namespace longshore::config {

struct LogSettings {
  std::string level = "info";   // debug, info, warning, error
  std::string format = "text";  // text, json
  std::string file;             // empty: standard error

  bool operator==(const LogSettings&) const = default;
};

// `[agent.http]`
struct HttpSettings {
  std::string address;  // empty: none; see config/http_address.h
  bool allow_remote = false;
  std::string metrics_path = "/metrics";

  bool operator==(const HttpSettings&) const = default;
};

struct LimitSettings {
  int64_t max_request_bytes = 4 << 20;
  int64_t max_response_bytes = 8 << 20;
  int64_t max_connections = 512;           // per endpoint
  int64_t max_connections_per_user = 256;  // per endpoint
  int64_t max_streams_per_connection = 1024;
  int64_t max_memory = 32 << 20;
  int64_t max_memory_per_endpoint = 20 << 20;
  int64_t max_memory_per_peer = 16 << 20;
  int64_t max_memory_per_connection = 16 << 20;
  int64_t max_images = 64;

  bool operator==(const LimitSettings&) const = default;
};

// `[agent.audit]`
struct AuditSettings {
  std::string file;  // empty: none
  bool required = false;
  bool fsync = false;
  int64_t max_size = 64 << 20;  // bytes; 0: any
  int64_t max_files = 8;

  bool operator==(const AuditSettings&) const = default;
};

// `[agent.signatures]`
struct SignatureSettings {
  std::string keys_dir;  // empty: signatures are not looked at
  bool required = false;

  bool operator==(const SignatureSettings&) const = default;
};

// `[agent.kube]`
struct KubeSettings {
  std::string kubeconfig;  // empty: that of the Pod that the agent runs in
  double api_qps = 0;      // requests a second; 0: as the server's answers allow
  int64_t api_burst = 0;   // at once; 0: those of a second

  bool operator==(const KubeSettings&) const = default;
};

struct AgentSettings {
  std::string run_dir = kRunDir;
  std::string control_dir = kControlDir;
  std::string state_dir = kStateDir;
  std::vector<std::string> module_dirs = {kModuleDir};
  std::string module_host = kModuleHost;
  // Names or ids of users who may own modules, keys and module_host, besides root.
  std::vector<std::string> trusted_owners;
  std::chrono::nanoseconds stop_timeout = std::chrono::seconds(30);
  bool strict = false;  // one bad part refuses the whole
  LogSettings log;
  HttpSettings http;
  AuditSettings audit;
  SignatureSettings signatures;
  KubeSettings kube;
  LimitSettings limits;

  bool operator==(const AgentSettings&) const = default;
};

// `[....permissions.<name>]`: what some callers may call. Where there are rules, whatever none of
// them allows is refused.
struct PermissionRule {
  std::string name;
  std::vector<std::string> users;    // by name or id; "*": everybody
  std::vector<std::string> groups;   // by name or id
  std::vector<std::string> methods;  // full names, services, "reads_only", "*"

  bool operator==(const PermissionRule&) const = default;
};

// What all sockets have in common. Users and groups by name or id.
struct AccessSettings {
  int64_t mode = 0600;
  std::string owner;  // empty: the agent's own
  std::string group;
  // Of a named pipe: the system's account and administrators.
  std::string sddl = "D:P(A;;GA;;;SY)(A;;GA;;;BA)";
  std::vector<std::string> allow_users;
  std::vector<std::string> allow_groups;
  std::vector<PermissionRule> permissions = {};  // by name; none: who connects may call all

  bool operator==(const AccessSettings&) const = default;
};

// `[endpoints]`: csi_proxy = true gives one socket per csi-proxy endpoint of the enabled modules.
struct CsiProxySettings {
  bool enabled = true;
  AccessSettings access;  // [endpoints.csi_proxy_access]

  bool operator==(const CsiProxySettings&) const = default;
};

// `[endpoints.<name>]`
struct EndpointSettings {
  std::string name;
  std::string address;  // "unix:///run/longshore/x.sock", "npipe:////./pipe/x"
  std::vector<std::string> services;
  AccessSettings access;

  bool operator==(const EndpointSettings&) const = default;
  std::string path() const { return path_of_address(address); }
};

using OptionValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>>;

// `[modules.<name>.process]`, for isolation = "process"
struct ProcessSettings {
  std::string user;                                 // empty: the agent's own
  std::vector<std::string> capabilities = {"all"};  // "all": those that the user has
  bool no_new_privs = true;
  bool system_call_filter = true;
  std::vector<std::string> writable_paths = {"all"};  // "all": no bound
  int64_t memory_max = 0;                             // bytes; 0: no limit of its own
  int64_t files_max = 0;                              // 0: no limit of its own
  double cpu_max = 0;                                 // processors; 0: no limit of its own
  int64_t processes_max = 0;                          // 0: no limit of its own
  int64_t unread_max = 64 << 20;                      // bytes
  int64_t restart_max = 10;
  std::chrono::nanoseconds restart_delay_max = std::chrono::seconds(10);
  bool retry_idempotent = false;

  bool operator==(const ProcessSettings&) const = default;
};

// Of `[modules.<name>]`, what is asked on the way to a module and not by it: a change replaces no
// instance.
struct RouteSettings {
  std::chrono::nanoseconds call_timeout = std::chrono::seconds(30);
  std::map<std::string, std::chrono::nanoseconds> method_timeouts;
  std::vector<std::string> deny_methods;
  std::vector<PermissionRule> permissions = {};  // by name; none: who reaches it may call all

  bool operator==(const RouteSettings&) const = default;
};

// `[controllers.<name>.kube_grants.<name>]`: what it may do by longshore.host.v1.Kube, in the words
// of a rule of RBAC.
struct KubeGrant {
  std::string name;
  std::vector<std::string> api_groups;  // "": the core's
  std::vector<std::string> resources;   // "persistentvolumes", "volumeattachments/status"
  std::vector<std::string> verbs;       // "get"

  bool operator==(const KubeGrant&) const = default;
};

// What stands in a lease for the name of the driver that its controller waits for.
inline constexpr std::string_view kDriverInLease = "{driver}";

// `[controllers.<name>.leader_election]`: a lease of Kubernetes'. Controllers that name one with
// the same settings, and the same driver, share it.
struct LeaderElectionSettings {
  std::string lease;       // empty: it runs without one
  std::string name_space;  // empty: that of the Pod
  std::chrono::nanoseconds lease_duration = std::chrono::seconds(15);
  std::chrono::nanoseconds renew_deadline = std::chrono::seconds(10);
  std::chrono::nanoseconds retry_period = std::chrono::seconds(5);
  std::vector<std::string> labels;  // "name=value"
  bool release_on_exit = true;

  auto operator<=>(const LeaderElectionSettings&) const = default;
};

// `[modules.<name>]`, and `[controllers.<name>]` for modules that are controllers
struct ModuleSettings : RouteSettings {
  std::string name;  // no module has that of another, nor of a controller
  bool is_controller = false;
  bool enabled = true;
  std::string library;  // default "longshore-<name>"
  std::string isolation = "in-process";
  std::string sha256;  // empty: not pinned
  int64_t max_concurrent_calls = 16;
  int64_t max_open_streams = 1024;
  int64_t max_queued_calls = 16384;
  int64_t max_stuck_calls = 4;
  int64_t max_calls_per_bulkhead = 0;  // 0: half of max_concurrent_calls
  std::chrono::nanoseconds start_timeout = std::chrono::seconds(30);
  std::vector<std::string> may_call;
  std::vector<KubeGrant> kube_grants = {};  // by name; none: it may do nothing
  std::string wait_for_driver;              // address of a CSI driver; empty: it waits for none
  LeaderElectionSettings leader_election = {};
  ProcessSettings process;
  // All options of the module's description, with defaults filled in. Durations in nanoseconds.
  std::map<std::string, OptionValue> settings;

  // Where it stands: "modules.disk", "controllers.attacher".
  std::string table() const { return (is_controller ? "controllers." : "modules.") + name; }

  bool operator==(const ModuleSettings&) const = default;
};

struct Configuration {
  AgentSettings agent;
  CsiProxySettings csi_proxy;
  std::vector<EndpointSettings> endpoints;  // by name
  std::vector<ModuleSettings> modules;      // by name, enabled or not
  std::vector<std::string> files;           // that it was read from, in the order of merging

  bool operator==(const Configuration&) const = default;
};

}  // namespace longshore::config
