// What makes sense only for the configuration as a whole and together with the modules it names.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "config/draft.h"
#include "config/loaded.h"
#include "config/module_catalog.h"

namespace longshore::config {

// Asks `catalog` for every enabled module and reads its settings into the draft. A disabled module
// need not exist, and its settings are left alone; so it is with one that cannot be loaded, unless
// that is a finding (`strict`).
ModuleSchemas describe_modules(Draft& draft, ModuleCatalog& catalog, bool strict,
                               Findings& findings);

// Addresses and services of endpoints; services, methods and permissions of modules.
// `host_services`: what they may name beside what modules serve.
void check_whole(const Draft& draft, const ModuleSchemas& schemas,
                 const HostServiceNames& host_services, Findings& findings);

// That no two modules serve one service, or one socket of csi-proxy's.
void check_served_once(const Configuration& configuration, const Origins& origins,
                       const ModuleSchemas& schemas, Findings& findings);

// What the rules of permissions allow.
void check_permissions(const Draft& draft, const ModuleSchemas& schemas,
                       const HostServiceNames& host_services, Findings& findings);

// That grants of the API server's resources allow something, and nothing that is refused anyway.
void check_kube_grants(const Draft& draft, Findings& findings);

// That limits leave room for what they are limits of.
void check_limits(const Draft& draft, Findings& findings);

// Methods that are denied in one version and served in another.
void warn_of_open_versions(const Draft& draft, const ModuleSchemas& schemas, Findings& warnings);

// That only controllers wait for CSI drivers, at addresses that are some.
void check_driver_waits(const Draft& draft, const HostServiceNames& host_services,
                        Findings& findings);

// That only controllers run by leases, that times and labels of these make sense, and that no two
// say different things of one.
void check_leader_elections(const Draft& draft, const HostServiceNames& host_services,
                            Findings& findings);

// That the system knows the users and groups of sockets, rules and trusted owners.
void check_users(const Draft& draft, Findings& findings);

// Whether every enabled module has a schema: only then is an unknown service a mistake.
bool all_described(const Configuration& configuration, const ModuleSchemas& schemas);

// `; did you mean "v1.Disk"?`, or nothing when none of `valid` is near.
std::string suggestion(const std::string& name, const std::vector<std::string>& valid);

// The place of an item of an array that was read without findings.
Place item_place(const Origins& origins, const std::string& path, size_t index);

// The place of the first of `paths` that a file has; the start of the main file if none does.
Place place_of(const Origins& origins, std::initializer_list<std::string> paths);

}  // namespace longshore::config
