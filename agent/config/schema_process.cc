// The keys of a module's process.
#include "config/schema.h"
#include "config/section_key.h"

namespace longshore::config {

const SectionKeys<ProcessSettings>& section_keys(const ProcessSettings&) {
  using S = ProcessSettings;
  static const SectionKeys<S> keys = {
      key<&S::user>({.name = "user",
                     .doc = "User, by name or id, as whom it runs, with the user's groups. Empty: "
                            "the agent's own.",
                     .may_be_empty = true}),
      key<&S::capabilities>({.name = "capabilities",
                             .type = KeyType::kCapabilities,
                             .doc = "Capabilities that it keeps, such as \"CAP_SYS_ADMIN\", "
                                    "whoever the user is. \"all\": those that the user has."}),
      key<&S::no_new_privs>({.name = "no_new_privs",
                             .type = KeyType::kBool,
                             .doc = "Whether programs that it starts can gain no privileges, by "
                                    "set-user-ID files for one."}),
      key<&S::system_call_filter>({.name = "system_call_filter",
                                   .type = KeyType::kBool,
                                   .doc = "Whether the kernel refuses it, and the programs that it "
                                          "starts, system calls that no storage needs: those that "
                                          "load kernel code, look into other processes, set the "
                                          "clock and the like (seccomp); see longshore(7)."}),
      key<&S::writable_paths>({.name = "writable_paths",
                               .type = KeyType::kPathsOrAll,
                               .doc =
                                   "Files, and folders with what is beneath them, that it and the "
                                   "programs that it starts may write, make and remove "
                                   "(Landlock), besides its own folder in state_dir and "
                                   "/dev/null. It can mount nothing then. \"all\": everything. "
                                   "Needs Linux 5.13."}),
      key<&S::memory_max>({.name = "memory_max",
                           .type = KeyType::kInt,
                           .doc = "Bytes of memory that it may use (memory.max), with the programs "
                                  "that it starts; none of it is swapped out. Without cgroup v2 "
                                  "those that it may write to (RLIMIT_DATA), the stacks of its "
                                  "threads included, 8 MiB each. "
                                  "0: no limit of its own.",
                           .range = {{0, int64_t{1} << 50}}}),
      key<&S::files_max>({.name = "files_max",
                          .type = KeyType::kInt,
                          .doc = "Descriptors that it may have open. 0: no limit of its own.",
                          .range = {{0, 1 << 20}}}),
      key<&S::cpu_max>({.name = "cpu_max",
                        .type = KeyType::kFloat,
                        .doc = "Processors whose time it may use, with the programs that it starts "
                               "(cpu.max): 0.5 is half of one. 0: no limit of its own. Needs "
                               "cgroup v2.",
                        .range = {{0, 1024}}}),
      key<&S::processes_max>({.name = "processes_max",
                              .type = KeyType::kInt,
                              .doc = "Processes and threads that it may have, with those that it "
                                     "starts (pids.max), which then all end with it, also an mkfs. "
                                     "0: no limit of its own, and what has left its process group "
                                     "goes on. Needs cgroup v2.",
                              .range = {{0, 1 << 22}}}),
      key<&S::unread_max>({.name = "unread_max",
                           .type = KeyType::kInt,
                           .doc = "Bytes that the agent keeps for it while it does not read: over "
                                  "that, the answers to calls of its own wait where they come "
                                  "from. New calls are refused over 8 MiB.",
                           .range = {{1 << 16, int64_t{1} << 40}}}),
      key<&S::restart_max>({.name = "restart_max",
                            .type = KeyType::kInt,
                            .doc = "How often within a minute it is started again when it ends. "
                                   "Over that the module is quarantined until a reload or upgrade.",
                            .range = {{0, 1000}}}),
      key<&S::restart_delay_max>({.name = "restart_delay_max",
                                  .type = KeyType::kDuration,
                                  .doc = "It is started again at once, then after 100 ms, then "
                                         "after twice as long each time, but never longer than "
                                         "this.",
                                  .range = {{kMillisecond, kHour}}}),
      key<&S::retry_idempotent>({.name = "retry_idempotent",
                                 .type = KeyType::kBool,
                                 .doc = "Whether calls of idempotent methods that run when it ends "
                                        "are given to the next process, once, in place of failing "
                                        "with UNAVAILABLE."}),
  };
  return keys;
}

}  // namespace longshore::config
