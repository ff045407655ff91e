// The table of every key of the configuration: type, meaning, range, and whether a restart is
// needed. What reads files, what suggests the nearest key, `config sample`, `config show` and the
// comparison of a reload all go through it; the defaults are those of settings.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/key_schema.h"
#include "config/settings.h"

namespace longshore::config {

// A key and the member of `Section` that it fills.
template <typename Section>
struct SectionKey {
  KeySchema schema;
  OptionValue (*get)(const Section&);
  void (*set)(Section&, OptionValue);
};

template <typename Section>
using SectionKeys = std::vector<SectionKey<Section>>;

// `[modules.<name>] methods."<service>/<method>"`
struct MethodSettings {
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};

// The keys of the argument's type, whatever it holds, in the order in which they are shown.
const SectionKeys<AgentSettings>& section_keys(const AgentSettings&);
const SectionKeys<LogSettings>& section_keys(const LogSettings&);
const SectionKeys<HttpSettings>& section_keys(const HttpSettings&);
const SectionKeys<AuditSettings>& section_keys(const AuditSettings&);
const SectionKeys<SignatureSettings>& section_keys(const SignatureSettings&);
const SectionKeys<KubeSettings>& section_keys(const KubeSettings&);
const SectionKeys<LimitSettings>& section_keys(const LimitSettings&);
const SectionKeys<AccessSettings>& section_keys(const AccessSettings&);
const SectionKeys<PermissionRule>& section_keys(const PermissionRule&);
const SectionKeys<CsiProxySettings>& section_keys(const CsiProxySettings&);
const SectionKeys<EndpointSettings>& section_keys(const EndpointSettings&);
const SectionKeys<ModuleSettings>& section_keys(const ModuleSettings&);
const SectionKeys<MethodSettings>& section_keys(const MethodSettings&);
const SectionKeys<KubeGrant>& section_keys(const KubeGrant&);
const SectionKeys<LeaderElectionSettings>& section_keys(const LeaderElectionSettings&);
const SectionKeys<ProcessSettings>& section_keys(const ProcessSettings&);

// Whether `name` can name an endpoint or a module: [a-z][a-z0-9_-]*.
bool is_name(std::string_view name);

// The one of `valid` that a person who wrote `key` most likely meant; empty when none is near.
std::string nearest(std::string_view key, const std::vector<std::string>& valid);

}  // namespace longshore::config
