// The flags by which one of several replicas leads, as csi-lib-utils has them, and what they say
// of [controllers.<name>.leader_election].
//
// Threads: any; plain functions.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "longshore/result.hpp"

namespace longshore::sidecars {

// Of --feature-gates.
inline constexpr std::string_view kReleaseGate = "ReleaseLeaderElectionOnExit";

// Their names without dashes.
std::span<const std::string_view> leader_election_flags();

// All but the lease, from the flags' values by their names, with that of the gate by its own.
// Nothing: no replica is to lead. INVALID_ARGUMENT, in the flags' words: a value that is none, or
// times with which nobody could lead.
Result<std::optional<config::LeaderElectionSettings>> leader_election_settings(
    const std::map<std::string, std::string, std::less<>>& values);

// `[table]` with its keys, those alone whose values are not the defaults.
std::string leader_election_section(const std::string& table,
                                    const config::LeaderElectionSettings& settings);

}  // namespace longshore::sidecars
