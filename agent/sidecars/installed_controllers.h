// The controllers that are installed, by the names that --controllers takes, and the choice of
// those that are to run.
//
// Threads: any; plain functions and values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/module_catalog.h"
#include "longshore/result.hpp"

namespace longshore::sidecars {

struct InstalledControllers {
  // "livenessprobe": that of the library longshore-livenessprobe.
  std::map<std::string, config::ModuleSchema, std::less<>> described;
  // Where they were looked for, and whether there is such a folder; the last one is the usual one.
  std::vector<std::pair<std::string, bool>> folders;
  // Why a file that lies there cannot be loaded, be it a controller's or not.
  std::map<std::string, std::string, std::less<>> unreadable;
};

// Reads the descriptions of all modules in the folders; runs none of their code. Of two files of
// one name the first folder's counts.
InstalledControllers read_installed_controllers(const std::vector<std::string>& folders);

// Chooses as kube-controller-manager does by its flag of that name: "a,b" these; "*" those
// that run on each node; "-a" not that one. Of what is said about one controller the first counts.
// The names come sorted. INVALID_ARGUMENT: a name that is not installed, or none is chosen.
Result<std::vector<std::string>> chosen_controllers(std::string_view list,
                                                    const InstalledControllers& installed);

}  // namespace longshore::sidecars
