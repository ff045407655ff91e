#include "config/schema.h"
#include "config/section_key.h"

namespace longshore::config {

const SectionKeys<AccessSettings>& section_keys(const AccessSettings&) {
  using S = AccessSettings;
  static const SectionKeys<S> keys = {
      key<&S::sddl>(
          {.name = "sddl",
           .type = KeyType::kSddl,
           .doc = "Who may open the pipe, in Windows' security descriptor language. By default the "
                  "system's account and administrators, as with csi-proxy."}),
      key<&S::allow_users>({.name = "allow_users",
                            .type = KeyType::kNames,
                            .doc = "Users, by account name or SID, who may call. With no users "
                                   "and no groups whoever can open the pipe may call."}),
      key<&S::allow_groups>({.name = "allow_groups",
                             .type = KeyType::kNames,
                             .doc = "Groups, by name or SID, whose members may call."}),
  };
  return keys;
}

}  // namespace longshore::config
