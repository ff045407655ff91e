#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "config/check.h"
#include "config/leader_election_rules.h"
#include "config/lease_name.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

class LeaderElectionCheck {
 public:
  LeaderElectionCheck(const Draft& draft, const HostServiceNames& host_services, Findings& findings)
      : draft_(draft),
        has_kube_(std::ranges::find(host_services.for_modules, "longshore.host.v1.Kube") !=
                  host_services.for_modules.end()),
        findings_(findings) {}

  void run() {
    for (const ModuleSettings& module : draft_.configuration.modules) {
      const std::string table = joined(module.table(), "leader_election");
      const auto first = draft_.origins.lower_bound(table + '.');
      if (first == draft_.origins.end() || !first->first.starts_with(table + '.')) continue;
      const Place place = first->second.place;
      if (!module.is_controller) {
        findings_.add(place, in_quotes(table) + " is for controllers, and " +
                                 in_quotes(module.name) +
                                 " is a module, which runs at all times; leave it out");
      } else if (!has_kube_) {
        findings_.add(place, in_quotes(table) +
                                 " is for longshored and csi-sidecars on Linux: other agents ask "
                                 "no Kubernetes API server");
      } else {
        check(module.leader_election, table, place);
        check_driver(module, table);
        if (module.enabled) check_same(module, table);
      }
    }
  }

 private:
  void check(const LeaderElectionSettings& election, const std::string& table, const Place& place) {
    if (!draft_.origins.contains(joined(table, "lease"))) {
      findings_.add(place, in_quotes(table) + " names no lease; write lease = \"<name>\"");
    }
    if (!is_namespace(election.name_space)) {
      add(table, "namespace",
          " must be the name of a namespace, not " + in_quotes(election.name_space));
    }
    check_times(election, table);
    const std::string labels = joined(table, "labels");
    for (size_t i = 0; i < election.labels.size(); ++i) {
      const std::string& label = election.labels[i];
      const size_t sign = label.find('=');
      if (sign != 0 && sign != label.npos && label.find('=', sign + 1) == label.npos) continue;
      findings_.add(item_place(draft_.origins, labels, i),
                    in_quotes(labels) + " has " + in_quotes(label) +
                        ", which is no label; write \"<name>=<value>\"");
    }
  }

  void check_driver(const ModuleSettings& module, const std::string& table) {
    const std::string& lease = module.leader_election.lease;
    if (lease.find(kDriverInLease) == lease.npos || !module.wait_for_driver.empty()) return;
    add(table, "lease",
        " has the name of a driver, and the controller waits for none; set wait_for_driver");
  }

  // They would be two candidates of one name, and each would take the other's lease for its own.
  void check_same(const ModuleSettings& module, const std::string& table) {
    const LeaderElectionSettings& election = module.leader_election;
    if (election.lease.empty()) return;
    const bool has_driver = election.lease.find(kDriverInLease) != election.lease.npos;
    const auto [other, is_new] =
        first_.try_emplace({election.name_space, sanitized_lease_name(election.lease),
                            has_driver ? module.wait_for_driver : std::string()},
                           &module);
    if (is_new || other->second->leader_election == election) return;
    add(table, "lease",
        " is the lease that " + in_quotes(joined(other->second->table(), "leader_election")) +
            " names, which has other settings; write the same in both, or name another lease");
  }

  void check_times(const LeaderElectionSettings& election, const std::string& table) {
    if (!has_whole_seconds(election)) {
      add(table, "lease_duration", " must be whole seconds");
    }
    if (!renews_before_end(election)) {
      add(table, "renew_deadline", " must be shorter than lease_duration");
    }
    if (!tries_before_deadline(election)) {
      add(table, "retry_period",
          " is too long: renew_deadline must be more than 1.2 times as much");
    }
  }

  void add(const std::string& table, const std::string& key, const std::string& sentence) {
    findings_.add(place_of(draft_.origins, {joined(table, key), joined(table, "lease")}),
                  in_quotes(joined(table, key)) + sentence);
  }

  const Draft& draft_;
  const bool has_kube_;
  Findings& findings_;
  // By namespace, name as it is asked for, and driver.
  std::map<std::tuple<std::string, std::string, std::string>, const ModuleSettings*> first_;
};

}  // namespace

void check_leader_elections(const Draft& draft, const HostServiceNames& host_services,
                            Findings& findings) {
  LeaderElectionCheck(draft, host_services, findings).run();
}

}  // namespace longshore::config
