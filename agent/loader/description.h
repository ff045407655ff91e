// A module's description, parsed and checked: what it serves and what can be set.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loader/described_file.h"
#include "longshore/module/v1.pb.h"
#include "longshore/result.hpp"
#include "router/method.h"

namespace longshore::loader {

struct CsiProxyEndpoint {
  std::string group;
  std::string version;
  std::string service;

  std::string name() const { return group + "-" + version; }  // of its socket
};

struct ModuleDescription {
  std::string summary;
  bool is_controller = false;
  bool may_overlap = false;
  std::vector<std::string> services;
  std::vector<router::Method> methods;  // of these services, in the order of the descriptors
  // longshore.module.v1.Health/Check, which is for the agent alone and not among the methods.
  std::optional<router::Method> health_check;
  std::optional<router::Method> metrics;          // the same of longshore.module.v1.Metrics/Collect
  std::optional<router::Method> describe_object;  // and of longshore.module.v1.Objects/Describe
  std::vector<std::string> calls;                 // methods of other modules
  std::vector<CsiProxyEndpoint> csi_proxy_endpoints;
  std::vector<module::v1::Option> options;
  std::vector<module::v1::KubeGrant> kube_grants;
  std::string wait_for_driver_option;  // one of the options, a string; empty: none
  std::string role_file;               // where people find its role; empty: none is known
  std::string lease;                   // by which one of several agents runs it; empty: each does
  // As reflection hands them out.
  std::vector<std::shared_ptr<const DescribedFile>> files;
};

// Parses the bytes that a module's file carries. They are a stranger's: everything is checked,
// every service must have its descriptor, and names must be well-formed. The packages
// longshore.admin, longshore.host and all beneath grpc are the agent's own: no module may serve
// what is in them.
Result<ModuleDescription> parse_description(const std::string& bytes);

// The same of what the agent itself serves: those packages are its own.
Result<ModuleDescription> parse_host_service_description(std::span<const unsigned char> bytes);

}  // namespace longshore::loader
