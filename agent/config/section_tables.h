// Which tables stand in which, told once: what reads files, `config show` and `config sample` walk
// it. Their keys are those of schema.h. What has a name of the administrator's, as
// [modules.<name>], is found by who walks, and so are the tables at the top of the file. Any thread
// may read it.
#pragma once

#include <tuple>

#include "config/settings.h"

namespace longshore::config {

// A table in the table of `Section`, and the member that it fills.
template <typename Section, typename Inner>
struct SectionTable {
  const char* name;
  Inner Section::*member;
  const char* doc = "";  // for the sample, of a table that every configuration has
};
template <typename Section, typename Inner>
SectionTable(const char*, Inner Section::*, const char* = "") -> SectionTable<Section, Inner>;

// In the order in which they are shown.
template <typename Section>
inline constexpr std::tuple<> kSectionTables;
template <>
inline constexpr std::tuple kSectionTables<AgentSettings>{
    SectionTable{"log", &AgentSettings::log},
    SectionTable{"http", &AgentSettings::http},
    SectionTable{"audit", &AgentSettings::audit},
    SectionTable{"signatures", &AgentSettings::signatures},
    SectionTable{"kube", &AgentSettings::kube},
    SectionTable{"limits", &AgentSettings::limits},
};
template <>
inline constexpr std::tuple kSectionTables<CsiProxySettings>{
    SectionTable{"csi_proxy_access", &CsiProxySettings::access,
                 "Who may use the csi-proxy sockets."},
};
template <>
inline constexpr std::tuple kSectionTables<AccessSettings>{
    SectionTable{"permissions", &AccessSettings::permissions,
                 "A rule of what callers may call here, under a name of your choice; any endpoint "
                 "may have such rules. Where there are none, whoever connects may call "
                 "everything; where there are some, only what one of them allows."},
};
template <>
inline constexpr std::tuple kSectionTables<ModuleSettings>{
    SectionTable{"methods", &ModuleSettings::method_timeouts},
    SectionTable{"permissions", &ModuleSettings::permissions},
    SectionTable{"kube_grants", &ModuleSettings::kube_grants},
    SectionTable{"leader_election", &ModuleSettings::leader_election},
    SectionTable{"process", &ModuleSettings::process},
    SectionTable{"settings", &ModuleSettings::settings},
};

// Calls `visit` with each of them.
template <typename Section, typename Visit>
void visit_tables(const Visit& visit) {
  std::apply([&](const auto&... table) { (visit(table), ...); }, kSectionTables<Section>);
}

}  // namespace longshore::config
