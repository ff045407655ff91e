// The keys of the connection to a Kubernetes API server, and of what controllers may do by it.
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

}  // namespace longshore::config
