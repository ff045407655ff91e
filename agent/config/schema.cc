#include "config/schema.h"

#include "config/section_key.h"

namespace longshore::config {
namespace {

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kMostMemory = int64_t{64} << 30;

}  // namespace

const SectionKeys<AgentSettings>& section_keys(const AgentSettings&) {
  using S = AgentSettings;
  static const SectionKeys<S> keys = {
      key<&S::run_dir>({.name = "run_dir",
                        .type = KeyType::kPath,
                        .doc = "Folder of the sockets; each has a folder of its own in it.",
                        .needs_restart = true}),
      key<&S::control_dir>({.name = "control_dir",
                            .type = KeyType::kPath,
                            .doc = "Folder of the socket for longshorectl. Keep it apart from "
                                   "run_dir, which may be given to containers.",
                            .needs_restart = true}),
      key<&S::state_dir>({.name = "state_dir",
                          .type = KeyType::kPath,
                          .doc = "Folder of what the agent must remember over restarts.",
                          .needs_restart = true}),
      key<&S::module_dirs>({.name = "module_dirs",
                            .type = KeyType::kPaths,
                            .doc = "Folders in which modules are looked up, in this order."}),
      key<&S::module_host>({.name = "module_host",
                            .type = KeyType::kPath,
                            .doc = "The program that runs a module with isolation = \"process\". "
                                   "One that lies beside longshored itself is preferred to this "
                                   "default."}),
      key<&S::trusted_owners>(
          {.name = "trusted_owners",
           .type = KeyType::kNames,
           .doc = "Users, by name or id, who may own modules, the keys that they are signed with "
                  "and module_host, besides root.",
           .needs_restart = true}),
      key<&S::stop_timeout>(
          {.name = "stop_timeout",
           .type = KeyType::kDuration,
           .doc = "How long running calls and the modules together get when the agent stops.",
           .range = {{kMillisecond, kHour}}}),
      key<&S::strict>(
          {.name = "strict",
           .type = KeyType::kBool,
           .doc = "Whether one bad part refuses the whole: a module that cannot be loaded, or a "
                  "socket that cannot be made, keeps the agent from starting and a reload from "
                  "changing anything, and /readyz asks that every module and endpoint serves. "
                  "Otherwise what is bad is reported and tried again, "
                  "and the rest serves. An agent inside another program is always strict."}),
  };
  return keys;
}

const SectionKeys<LogSettings>& section_keys(const LogSettings&) {
  using S = LogSettings;
  static const SectionKeys<S> keys = {
      key<&S::level>({.name = "level",
                      .doc = "The least severe lines that are written.",
                      .one_of = {"debug", "info", "warning", "error"}}),
      key<&S::format>({.name = "format",
                       .doc = "Lines for people (text) or for programs (json).",
                       .needs_restart = true,
                       .one_of = {"text", "json"}}),
      key<&S::file>({.name = "file",
                     .type = KeyType::kPath,
                     .doc = "File that is appended to, with mode 0640; its folder is made with "
                            "0750 where it is missing. The agent does not start where it cannot "
                            "be opened, or is a link or a device. A reload opens it anew, after "
                            "logrotate moved it; nothing else bounds its size. Empty: standard "
                            "error.",
                     .needs_restart = true,
                     .may_be_empty = true}),
  };
  return keys;
}

const SectionKeys<HttpSettings>& section_keys(const HttpSettings&) {
  using S = HttpSettings;
  static const SectionKeys<S> keys = {
      key<&S::address>({.name = "address",
                        .type = KeyType::kHttpAddress,
                        .doc = "Where /status, /metrics, /healthz and /readyz are answered, such "
                               "as \"127.0.0.1:9809\", \"[::1]:9809\" or "
                               "\"unix:///absolute/path\". A controller's pages may have the same "
                               "address, and come first. Every local user, and every pod on the "
                               "host's network, can read it at a port, recent errors with their "
                               "paths included; the Unix socket is the agent's user's alone. "
                               "Empty: nowhere.",
                        .needs_restart = true,
                        .may_be_empty = true}),
      key<&S::allow_remote>({.name = "allow_remote",
                             .type = KeyType::kBool,
                             .doc = "Whether the address may be one that other machines reach. "
                                    "Everybody who does can read all of it.",
                             .needs_restart = true}),
      key<&S::metrics_path>({.name = "metrics_path",
                             .type = KeyType::kString,
                             .doc = "The path of /metrics, where scrapers look for another one.",
                             .needs_restart = true}),
  };
  return keys;
}

const SectionKeys<LimitSettings>& section_keys(const LimitSettings&) {
  using S = LimitSettings;
  const auto limit = [](std::string name, std::string doc, int64_t least, int64_t most) {
    return KeySchema{.name = std::move(name),
                     .type = KeyType::kInt,
                     .doc = std::move(doc),
                     .needs_restart = true,
                     .range = {{least, most}}};
  };
  static const SectionKeys<S> keys = {
      key<&S::max_request_bytes>(
          limit("max_request_bytes", "Largest request message, in bytes.", 1024, 256 * kMiB)),
      key<&S::max_response_bytes>(
          limit("max_response_bytes", "Largest answer, in bytes.", 1024, 1024 * kMiB)),
      key<&S::max_connections>(
          limit("max_connections",
                "Open connections of one endpoint. Where there are as many, an idle one of the "
                "same user gives way to a new one: the one that was used longest ago.",
                1, 65536)),
      key<&S::max_connections_per_user>(
          limit("max_connections_per_user",
                "Of these, those of one user. A container with a PID namespace of its own counts "
                "as one user, whoever its processes run as. An idle one gives way to a new one "
                "here too.",
                1, 65536)),
      key<&S::max_streams_per_connection>(
          limit("max_streams_per_connection", "Calls in flight on one connection.", 1, 65536)),
      key<&S::max_memory>(limit(
          "max_memory",
          "Bytes that the clients of all endpoints together may make the agent hold: requests "
          "until their calls are over, answers until they are read, streams and connections. "
          "What goes beyond fails with RESOURCE_EXHAUSTED. The control socket has as much as "
          "an endpoint for itself, and each endpoint 256 KiB that no other can use up.",
          kMiB, kMostMemory)),
      key<&S::max_memory_per_endpoint>(
          limit("max_memory_per_endpoint", "Of these, those of one endpoint.", kMiB, kMostMemory)),
      key<&S::max_memory_per_peer>(limit("max_memory_per_peer",
                                         "Of an endpoint's, those of one user or container.", kMiB,
                                         kMostMemory)),
      key<&S::max_memory_per_connection>(
          limit("max_memory_per_connection",
                "Of a peer's, those of one connection. A quarter of it for the requests of calls "
                "that are under way makes the agent read no more of them, before anything fails.",
                kMiB, kMostMemory)),
      key<&S::max_images>(limit("max_images",
                                "Module files that are loaded in the agent's life. A module that "
                                "was replaced counts again.",
                                1, 4096)),
  };
  return keys;
}

const SectionKeys<CsiProxySettings>& section_keys(const CsiProxySettings&) {
  using S = CsiProxySettings;
  static const SectionKeys<S> keys = {
      key<&S::enabled>({.name = "csi_proxy",
                        .type = KeyType::kBool,
                        .doc = "One socket for each csi-proxy group version that the enabled "
                               "modules serve, named as csi-proxy names its pipes."}),
  };
  return keys;
}

const SectionKeys<EndpointSettings>& section_keys(const EndpointSettings&) {
  using S = EndpointSettings;
  static const SectionKeys<S> keys = {
      key<&S::address>({.name = "address",
                        .type = KeyType::kAddress,
                        .doc = "Where it listens: unix:///absolute/path."}),
      key<&S::services>({.name = "services",
                         .type = KeyType::kNames,
                         .doc = "The services that it offers, and no others."}),
  };
  return keys;
}

const SectionKeys<ModuleSettings>& section_keys(const ModuleSettings&) {
  using S = ModuleSettings;
  const auto count = [](std::string name, std::string doc, int64_t least, int64_t most) {
    return KeySchema{.name = std::move(name),
                     .type = KeyType::kInt,
                     .doc = std::move(doc),
                     .range = {{least, most}}};
  };
  static const SectionKeys<S> keys = {
      key<&S::enabled>(
          {.name = "enabled", .type = KeyType::kBool, .doc = "Whether the module is loaded."}),
      key<&S::library>({.name = "library",
                        .type = KeyType::kLibrary,
                        .doc = "File name without prefix and suffix, looked up in module_dirs, or "
                               "an absolute path."}),
      key<&S::isolation>({.name = "isolation",
                          .type = KeyType::kIsolation,
                          .doc = "Where the module runs: in the agent itself (\"in-process\"), or "
                                 "in a process of its own (\"process\"), which may crash, hang or "
                                 "leak without harm to anything else, at a cost of some 20 us a "
                                 "call; see the table process."}),
      key<&S::sha256>({.name = "sha256",
                       .type = KeyType::kSha256,
                       .doc = "SHA-256 that the file must have. Empty: any.",
                       .may_be_empty = true}),
      key<&S::max_concurrent_calls>(
          count("max_concurrent_calls", "Calls that run at the same time.", 1, 1024)),
      key<&S::max_queued_calls>(
          count("max_queued_calls",
                "Calls that wait for their turn; more are refused. Of these, half may be for one "
                "server, mount or device (see max_calls_per_bulkhead), and no more than 2048. By "
                "the defaults the limits of memory are reached before, since a call takes 4 KiB "
                "and its request: this is for those who want fewer to wait.",
                0, 65536)),
      key<&S::max_open_streams>(count("max_open_streams",
                                      "Streams without an end, as watches, that are open at the "
                                      "same time; more are refused.",
                                      0, 65536)),
      key<&S::max_calls_per_bulkhead>(count(
          "max_calls_per_bulkhead",
          "Calls that run at the same time for one server, mount or device that they would hang "
          "on, or one object that they name: that is called their bulkhead. More for it wait, "
          "without holding up others. 0: half of max_concurrent_calls, but at least 1.",
          0, 1024)),
      key<&S::max_stuck_calls>(
          count("max_stuck_calls",
                "Calls for one bulkhead that may hang past their end, each holding a thread, "
                "before more for it are refused. Calls that hang take no place of others: up to "
                "sixteen times as many threads stand in for theirs.",
                0, 1024)),
      key<&S::start_timeout>({.name = "start_timeout",
                              .type = KeyType::kDuration,
                              .doc = "How long the module may take to start.",
                              .range = {{kMillisecond, kHour}}}),
      key<&S::call_timeout, S>({.name = "call_timeout",
                                .type = KeyType::kDuration,
                                .doc =
                                    "How long a call may take when its caller set no deadline, or "
                                    "a later one. Calls without an end, as watches, have none.",
                                .range = {{kMillisecond, 24 * kHour}}}),
      key<&S::deny_methods, S>(
          {.name = "deny_methods",
           .type = KeyType::kNames,
           .doc = "Methods of this module that nobody may call. Those of each version are "
                  "methods of their own: where one stays open, the log and config check warn."}),
      key<&S::may_call>({.name = "may_call",
                         .type = KeyType::kNames,
                         .doc = "Methods, or whole services, of other modules that this module "
                                "may call."}),
      key<&S::wait_for_driver>(
          {.name = "wait_for_driver",
           .doc = "Of a controller: the Unix socket of a CSI driver, such as /csi/csi.sock or "
                  "unix:///csi/csi.sock. The controller runs only while that driver answers Probe "
                  "with ready: it is started then, stopped when the connection to the driver "
                  "ends, and started anew when it is back. Empty: it waits for none.",
           .may_be_empty = true}),
  };
  return keys;
}

const SectionKeys<MethodSettings>& section_keys(const MethodSettings&) {
  using S = MethodSettings;
  static const SectionKeys<S> keys = {
      key<&S::timeout>({.name = "timeout",
                        .type = KeyType::kDuration,
                        .doc = "call_timeout for this method alone, of this version.",
                        .range = {{kMillisecond, 24 * kHour}}}),
  };
  return keys;
}

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (name.empty() || !is_letter(name.front())) return false;
  for (const char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_' && c != '-') return false;
  }
  return true;
}

}  // namespace longshore::config
