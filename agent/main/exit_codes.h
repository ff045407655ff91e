// The exit codes of the programs that run an agent or read its configuration, as their --help lists
// them.
#pragma once

namespace longshore {

inline constexpr int kConfigurationError = 2;
inline constexpr int kStartError = 3;

}  // namespace longshore
