// A catalog of modules that exist only as descriptions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/module_catalog.h"

namespace longshore::config::test {

// Knows, by library:
//   longshore-disk     v1.Disk: ListDisks, FormatDisk
//   longshore-volume   v1.Volume: FormatVolume, MountVolume; an option of every type
//   longshore-guarded  v1.Guarded: Read; requires `roots`
//   longshore-mirror   v1.Disk, as longshore-disk has it
//   longshore-raid     acme.Disk: ListDisks; on the socket of csi-proxy's that longshore-disk has
class FakeCatalog final : public ModuleCatalog {
 public:
  FakeCatalog();

  // Asks for nothing but the library; what was asked is kept.
  Result<ModuleSchema> describe(const ModuleSettings& module, const AgentSettings& agent) override;

  HostServiceNames host_services() const override { return own; }

  std::map<std::string, ModuleSchema> schemas;  // by library
  HostServiceNames own{.for_modules = {"longshore.host.v1.Csi", "longshore.host.v1.Kube"},
                       .for_endpoints = {}};
  std::vector<ModuleSettings> asked;
  std::vector<std::string> asked_with_dirs;
};

}  // namespace longshore::config::test
