// The flags that the Kubernetes sidecars have in common, and those that did something once: both
// stand in manifests, whichever controllers are enabled.
//
// Threads: any; constants. Source: csi-lib-utils' RegisterCommonFlags, the sidecars' main.go from
// their first releases on, and klog.
#pragma once

#include <span>
#include <string_view>

namespace longshore::sidecars {

struct UpstreamFlag {
  std::string_view name;
  bool is_bool = false;  // needs no value
  // Why it does nothing for a controller of the API server's objects that has no such option.
  std::string_view does_nothing_because = {};
};

// Given once, they mean each enabled controller that has an option of that name.
std::span<const UpstreamFlag> generic_flags();
// Taken, and of no effect.
std::span<const UpstreamFlag> historical_flags();

// Null: there is none of that name.
const UpstreamFlag* find_flag(std::span<const UpstreamFlag> flags, std::string_view name);

}  // namespace longshore::sidecars
