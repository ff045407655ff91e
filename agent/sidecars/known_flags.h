// The flags that a command line may have, as the installed controllers make them.
//
// Threads: any; reads `installed`, which outlives it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/module_catalog.h"
#include "sidecars/installed_controllers.h"

namespace longshore::sidecars {

// An option of a controller's.
struct OwnedOption {
  std::string controller;
  const config::OptionSchema* option = nullptr;
};

class KnownFlags {
 public:
  explicit KnownFlags(const InstalledControllers& installed) : installed_(installed) {}

  // Of "livenessprobe-csi-address": that controller's option csi_address.
  std::optional<OwnedOption> prefixed(std::string_view name) const;
  // Of "csi-address": those of all controllers that have it.
  std::vector<OwnedOption> unprefixed(std::string_view name) const;

  bool is_known(std::string_view name) const;
  // Whether the flag stands without a value. Only of one that is known.
  bool is_bool(std::string_view name) const;
  // The known one that was most likely meant; empty: none is near.
  std::string nearest_to(std::string_view name) const;

 private:
  const InstalledControllers& installed_;
};

}  // namespace longshore::sidecars
