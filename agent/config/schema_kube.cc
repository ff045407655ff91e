// The keys of the connection to a Kubernetes API server, and of what controllers may do by it.
#include "config/leader_election_rules.h"
#include "config/schema.h"
#include "config/section_key.h"

namespace longshore::config {

const SectionKeys<KubeSettings>& section_keys(const KubeSettings&) {
  using S = KubeSettings;
  static const SectionKeys<S> keys = {
      key<&S::kubeconfig>(
          {.name = "kubeconfig",
           .type = KeyType::kPath,
           .doc = "The kubeconfig by which controllers reach the Kubernetes API server. Empty: the "
                  "service account of the Pod that the agent runs in.",
           .needs_restart = true,
           .may_be_empty = true}),
      key<&S::api_qps>(
          {.name = "api_qps",
           .type = KeyType::kFloat,
           .doc = "How many requests a second the agent makes at the API server, for all "
                  "controllers. Events have as many of their own, and leases 20. 0: it begins with "
                  "20 and follows the server's answers, up to 200 while they come promptly, down "
                  "where it says that there are too many.",
           .needs_restart = true,
           .range = {{0, 10'000}}}),
      key<&S::api_burst>({.name = "api_burst",
                          .type = KeyType::kInt,
                          .doc = "How many of them it may make at once after a pause. 0: those of "
                                 "a second.",
                          .needs_restart = true,
                          .range = {{0, 10'000}}}),
  };
  return keys;
}

const SectionKeys<KubeGrant>& section_keys(const KubeGrant&) {
  using S = KubeGrant;
  static const SectionKeys<S> keys = {
      key<&S::api_groups>({.name = "api_groups",
                           .type = KeyType::kStrings,
                           .doc = "API groups, such as \"storage.k8s.io\". \"\" is the core's."}),
      key<&S::resources>({.name = "resources",
                          .type = KeyType::kNames,
                          .doc = "Resources of these groups, such as \"persistentvolumes\" or "
                                 "\"volumeattachments/status\"."}),
      key<&S::verbs>({.name = "verbs",
                      .type = KeyType::kNames,
                      .doc = "What the controller may do with them. A watch needs list as well.",
                      .one_of = {"get", "list", "watch", "create", "update", "patch", "delete"}}),
  };
  return keys;
}

const SectionKeys<LeaderElectionSettings>& section_keys(const LeaderElectionSettings&) {
  using S = LeaderElectionSettings;
  static const SectionKeys<S> keys = {
      key<&S::lease>(
          {.name = "lease",
           .doc = "The name of a Lease of Kubernetes'. Of all agents whose controllers "
                  "name it, those of one run at a time; of one agent, controllers that "
                  "name the same with the same settings share it. What is neither a "
                  "letter, a digit nor - becomes -, as upstream's sidecars have it. {driver} "
                  "stands for the name of the driver of wait_for_driver; the agent is a candidate "
                  "while that driver is ready. Empty: the controller runs without.",
           .may_be_empty = true}),
      key<&S::name_space>({.name = "namespace",
                           .doc = "Where the Lease is. Empty: POD_NAMESPACE of the environment, "
                                  "else the namespace of the Pod's service account, else default.",
                           .may_be_empty = true}),
      key<&S::lease_duration>({.name = "lease_duration",
                               .type = KeyType::kDuration,
                               .doc = "How long others wait for a holder that they hear nothing "
                                      "of, before one takes the lease. Whole seconds.",
                               .range = kLeaderElectionTimes}),
      key<&S::renew_deadline>({.name = "renew_deadline",
                               .type = KeyType::kDuration,
                               .doc = "How long after its last renewal the holder's controllers "
                                      "may run. They have the time from there to lease_duration "
                                      "to stop, and are killed then.",
                               .range = kLeaderElectionTimes}),
      key<&S::retry_period>({.name = "retry_period",
                             .type = KeyType::kDuration,
                             .doc = "How often the holder renews the lease. Others look at it once "
                                    "in a time between this and 2.2 times as much.",
                             .range = kLeaderElectionTimes}),
      key<&S::labels>({.name = "labels",
                       .type = KeyType::kNames,
                       .doc = "Labels that the holder puts on the Lease, as \"app=driver\"."}),
      key<&S::release_on_exit>({.name = "release_on_exit",
                                .type = KeyType::kBool,
                                .doc = "Whether an agent that ends gives the lease back, when its "
                                       "controllers have stopped, so that others need not wait."}),
  };
  return keys;
}

}  // namespace longshore::config
