#include "config/schema.h"
#include "config/section_key.h"

namespace longshore::config {

const SectionKeys<AccessSettings>& section_keys(const AccessSettings&) {
  using S = AccessSettings;
  static const SectionKeys<S> keys = {
      key<&S::mode>(
          {.name = "mode",
           .type = KeyType::kMode,
           .doc = "File mode of the socket, in octal. Mode, owner and group of a socket that "
                  "systemd holds, as the package's, are those of its unit; see longshore.socket."}),
      key<&S::owner>({.name = "owner",
                      .doc = "User who owns the socket, by name or id. Empty: the agent's own.",
                      .may_be_empty = true}),
      key<&S::group>({.name = "group",
                      .doc = "Group of the socket, by name or id. Empty: the agent's own.",
                      .may_be_empty = true}),
      key<&S::allow_users>({.name = "allow_users",
                            .type = KeyType::kNames,
                            .doc = "Users, by name or id, who may call. With no users and no "
                                   "groups whoever can open the socket may call."}),
      key<&S::allow_groups>({.name = "allow_groups",
                             .type = KeyType::kNames,
                             .doc = "Groups, by name or id, whose members may call."}),
  };
  return keys;
}

}  // namespace longshore::config
