// The keys of what guards the agent: permissions, the audit log, signatures of modules.
#include "config/schema.h"
#include "config/section_key.h"

namespace longshore::config {

const SectionKeys<PermissionRule>& section_keys(const PermissionRule&) {
  using S = PermissionRule;
  static const SectionKeys<S> keys = {
      key<&S::users>({.name = "users",
                      .type = KeyType::kNames,
                      .doc = "Users, by name or id, whom the rule allows something. \"*\" is "
                             "everybody."}),
      key<&S::groups>({.name = "groups",
                       .type = KeyType::kNames,
                       .doc = "Groups, by name or id, whose members it allows it as well."}),
      key<&S::methods>({.name = "methods",
                        .type = KeyType::kNames,
                        .doc = "What it allows: methods (\"service/method\"), services, "
                               "\"reads_only\" for all methods that change nothing, or \"*\" "
                               "for all."}),
  };
  return keys;
}

const SectionKeys<AuditSettings>& section_keys(const AuditSettings&) {
  using S = AuditSettings;
  static const SectionKeys<S> keys = {
      key<&S::file>({.name = "file",
                     .type = KeyType::kPath,
                     .doc = "File to which lines of JSON are appended for each call that may "
                            "change something, before it begins and when it is answered: who "
                            "called, what, on what, with which result. Fields that are marked "
                            "secret are left out. Its folder must be there, and closed to writes "
                            "by others. Empty: none.",
                     .needs_restart = true,
                     .may_be_empty = true}),
      key<&S::required>({.name = "required",
                         .type = KeyType::kBool,
                         .doc = "Whether calls that may change something are refused while the "
                                "file cannot be written. Otherwise they go on, and lines that "
                                "are lost are counted.",
                         .needs_restart = true}),
      key<&S::fsync>({.name = "fsync",
                      .type = KeyType::kBool,
                      .doc = "Whether a call begins only when its first line would survive a power "
                             "cut.",
                      .needs_restart = true}),
      key<&S::max_size>({.name = "max_size",
                         .type = KeyType::kInt,
                         .doc = "Size in bytes at which the file becomes <file>.1, that one "
                                "<file>.2 and so on. 0: never, where logrotate does so.",
                         .needs_restart = true,
                         .range = {{0, int64_t{1} << 40}}}),
      key<&S::max_files>({.name = "max_files",
                          .type = KeyType::kInt,
                          .doc = "How many such files there are at most; the oldest is removed.",
                          .needs_restart = true,
                          .range = {{1, 1000}}}),
  };
  return keys;
}

const SectionKeys<SignatureSettings>& section_keys(const SignatureSettings&) {
  using S = SignatureSettings;
  static const SectionKeys<S> keys = {
      key<&S::keys_dir>({.name = "keys_dir",
                         .type = KeyType::kPath,
                         .doc = "Folder of the public keys, *.pem with Ed25519, that modules may "
                                "be signed with. The signature of a module lies beside its file "
                                "with .sig appended to the name; where there is one, it must be "
                                "by one of these keys. Empty: signatures are not looked at.",
                         .may_be_empty = true}),
      key<&S::required>({.name = "required",
                         .type = KeyType::kBool,
                         .doc = "Whether a module without a signature is refused."}),
  };
  return keys;
}

}  // namespace longshore::config
