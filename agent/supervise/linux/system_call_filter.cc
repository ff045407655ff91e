#include "supervise/linux/system_call_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include "longshore/linux/file_descriptor.hpp"

namespace longshore::supervise {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;  // whose numbers nobody has looked at
#endif

constexpr uint32_t kRefusedCalls[] = {
    // Code in the kernel, and another kernel.
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_bpf,
    SYS_perf_event_open,
    // What most ways to break the kernel began with.
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_add_key,
    SYS_keyctl,
    SYS_request_key,
// Other processes. LeakSanitizer stops its own threads that way.
#if !defined(__SANITIZE_ADDRESS__)
    SYS_ptrace,
#endif
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_pidfd_getfd,
    // Files beyond every path and mount.
    SYS_open_by_handle_at,
    // Another root and the namespaces of others: mounts are the whole node's.
    SYS_chroot,
    SYS_pivot_root,
    SYS_setns,
    // The node as a whole.
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_acct,
    SYS_syslog,
    SYS_vhangup,
    SYS_lookup_dcookie,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

// Namespaces of its own, a user namespace above all, in which it would be root.
constexpr uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

class Program {
 public:
  Program() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    refuse(EPERM);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    constexpr uint32_t kX32 = 0x40000000;  // the same calls by other numbers
    jump(BPF_JGE, kX32, 0, 1);
    refuse(EPERM);
#endif
    for (const uint32_t call : kRefusedCalls) {
      jump(BPF_JEQ, call, 0, 1);
      refuse(EPERM);
    }
    // Its flags lie in memory, where no filter sees them. The C library takes clone then.
    jump(BPF_JEQ, SYS_clone3, 0, 1);
    refuse(ENOSYS);
    refuse_flags(SYS_clone, kNamespaces);
    refuse_flags(SYS_unshare, kNamespaces | CLONE_NEWTIME);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }

  sock_fprog view() {
    return {static_cast<unsigned short>(instructions_.size()), instructions_.data()};
  }

 private:
  void add(unsigned code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
    instructions_.push_back({static_cast<uint16_t>(code), if_true, if_false, value});
  }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
  // Skips so many instructions, as the comparison ends.
  void jump(unsigned comparison, uint32_t value, uint8_t if_true, uint8_t if_false) {
    add(BPF_JMP | BPF_K | comparison, value, if_true, if_false);
  }
  void refuse(uint32_t error) { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error); }
  // The call with any of these bits in its first argument. Otherwise the call's number is no longer
  // loaded, and need not be: it is allowed.
  void refuse_flags(uint32_t call, uint32_t flags) {
    jump(BPF_JEQ, call, 0, 4);
    load(offsetof(seccomp_data, args));
    jump(BPF_JSET, flags, 0, 1);
    refuse(EPERM);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  }

  std::vector<sock_filter> instructions_;
};

}  // namespace

std::string why_no_system_call_filter() {
  if (kArchitecture == 0) return "system calls are not filtered on this kind of processor";
  const uint32_t refuse = SECCOMP_RET_ERRNO;
  const std::error_code error =
      error_unless(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &refuse) == 0);
  if (!error) return {};
  return "the kernel filters no system calls (" + error.message() + ")";
}

Result<void> filter_system_calls() {
  Program program;
  const sock_fprog view = program.view();
  const std::error_code error = error_unless(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, &view) == 0);
  if (!error) return {};
  return Error(StatusCode::kUnknown, "filter its system calls")
      .because(error)
      .advise("set no_new_privs = true, or system_call_filter = false");
}

}  // namespace longshore::supervise
