// What the kernel refuses a module's process: system calls that no storage needs, and writing where
// it was not told to. The module asks for each, and answers with errno.
#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <filesystem>
#include <fstream>

#include "supervise/linux/system_call_filter.h"
#include "supervise/linux/writable_paths.h"
#include "tests/integration/isolation_world.h"

using namespace longshore;
using namespace longshore::test;

namespace {

namespace fs = std::filesystem;

struct Module {
  explicit Module(const std::string& process = {})
      : world({}, "asks_kernel", process.empty() ? "" : "[modules.hostile.process]\n" + process),
        client(world.hostile_socket()) {}

  int ask(const std::string& wish) {
    const auto answer = client.call(kHostile, wish, with_timeout(std::chrono::seconds(60)));
    INFO(wish << ": " << answer->text());
    REQUIRE(answer->code() == StatusCode::kOk);
    return std::stoi(answer->messages.at(0));
  }
  int call(long number, long first = 0, long second = 0) {
    return ask("call " + std::to_string(number) + " " + std::to_string(first) + " " +
               std::to_string(second));
  }

  IsolatedAgent world;
  TestClient client;
};

bool has_filter() {
  const std::string why_not = supervise::why_no_system_call_filter();
  if (!why_not.empty()) WARN("SKIPPED: " << why_not);
  return why_not.empty();
}

bool has_landlock() {
  const std::string why_not = supervise::why_no_writable_paths();
  if (!why_not.empty()) WARN("SKIPPED: " << why_not);
  return why_not.empty();
}

// Of a file that was made without any: nothing was written to it as long as it is 0.
int64_t allocated_bytes(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_blocks * int64_t{512};
}

std::string with_writable(const std::string& folder) {
  return "writable_paths = [\"" + folder + "\"]\n";
}

}  // namespace

TEST_CASE("A module's process is refused system calls that no storage needs") {
  if (!has_filter()) return;
  Module module;
  // With arguments that would do nothing where the call is not refused.
  for (const long number : {SYS_init_module,
                            SYS_finit_module,
                            SYS_delete_module,
                            SYS_kexec_file_load,
                            SYS_bpf,
                            SYS_perf_event_open,
                            SYS_userfaultfd,
                            SYS_io_uring_setup,
                            SYS_io_uring_enter,
                            SYS_io_uring_register,
                            SYS_add_key,
                            SYS_keyctl,
                            SYS_request_key,
                            SYS_process_vm_readv,
                            SYS_process_vm_writev,
                            SYS_kcmp,
                            SYS_pidfd_getfd,
                            SYS_open_by_handle_at,
                            SYS_chroot,
                            SYS_pivot_root,
                            SYS_setns,
                            SYS_reboot,
                            SYS_swapon,
                            SYS_swapoff,
                            SYS_settimeofday,
                            SYS_clock_settime,
                            SYS_clock_adjtime,
                            SYS_adjtimex,
                            SYS_acct,
                            SYS_syslog}) {
    CAPTURE(number);
    CHECK(module.call(number) == EPERM);
  }
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(module.call(SYS_ptrace) == EPERM);
#endif
  CHECK(module.call(SYS_sethostname, 0, -1) == EPERM);
  CHECK(module.call(SYS_setdomainname, 0, -1) == EPERM);
  for (const long flag : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET}) {
    CAPTURE(flag);
    CHECK(module.call(SYS_unshare, flag) == EPERM);
    CHECK(module.call(SYS_clone, flag) == EPERM);
  }
  CHECK(module.call(SYS_clone3) == ENOSYS);
#if defined(__x86_64__)
  CHECK(module.ask("x32 " + std::to_string(SYS_getpid)) == EPERM);
#endif
  // The others are as ever.
  CHECK(module.call(SYS_getpid) == 0);
  CHECK(module.call(SYS_unshare, CLONE_FS) == 0);
  CHECK(module.call(SYS_umount2) == EFAULT);
  CHECK(module.world.logged("module=hostile system_call_filter=seccomp"));
}

TEST_CASE("The filter holds for programs that the module starts, and mkfs works under it") {
  if (!has_filter()) return;
  Module module;
  CHECK(module.ask("run /usr/bin/unshare --user") != 0);
  for (const std::string type : {"ext4", "xfs", "btrfs"}) {
    const std::string program = "/usr/sbin/mkfs." + type;
    if (!fs::exists(program)) continue;
    CAPTURE(program);
    const std::string file = module.world.directory.root() + "/" + type;
    std::ofstream(file).close();
    fs::resize_file(file, 512 << 20);
    CHECK(module.ask("run " + program + " " + file) == 0);
  }
}

TEST_CASE("system_call_filter = false leaves the process what the agent has") {
  Module module("system_call_filter = false\n");
  CHECK(module.call(SYS_settimeofday) == 0);  // of nothing
  CHECK(proc_status(module.world.process_of("hostile"), "Seccomp") ==
        proc_status(module.world.agent->id(), "Seccomp"));
}

TEST_CASE("Capabilities can be taken away, and a user changed, though the filter stays") {
  if (!has_filter() || geteuid() != 0) return;
  Module module("user = \"65534\"\ncapabilities = [\"CAP_SYS_NICE\"]\nno_new_privs = false\n");
  CHECK(module.call(SYS_settimeofday) == EPERM);
  const pid_t process = module.world.process_of("hostile");
  CHECK(proc_status(process, "Seccomp") == "2");
  CHECK(proc_status(process, "CapEff") == "0000000000800000");
}

TEST_CASE("A module's process writes at and beneath its writable_paths alone") {
  if (!has_landlock()) return;
  const TemporaryDirectory places;
  const std::string inside = places / "inside";
  const std::string outside = places / "outside";
  fs::create_directories(inside + "/mount");
  fs::create_directories(outside);
  std::ofstream(places / "file").close();
  std::ofstream(outside + "/there").close();
  Module module("writable_paths = [\"" + inside + "\", \"" + (places / "file") + "\"]\n");
  CHECK(module.ask("write " + inside + "/new") == 0);
  CHECK(module.ask("write " + (places / "file")) == 0);
  CHECK(module.ask("write " + (module.world.directory / "state/hostile/new")) == 0);
  CHECK(module.ask("write /dev/null") == 0);
  CHECK(module.ask("write " + outside + "/new") == EACCES);
  CHECK(module.ask("write " + outside + "/there") == EACCES);
  CHECK(module.ask("run /bin/touch " + outside + "/new") != 0);
  CHECK(module.ask("run /bin/rm " + outside + "/there") != 0);
  CHECK(module.ask("run /bin/touch " + inside + "/touched") == 0);
  CHECK(module.ask("mount " + inside + "/mount") == EPERM);
  CHECK(fs::exists(outside + "/there"));
  CHECK(module.world.logged("writable_paths=landlock"));
}

TEST_CASE("mkfs makes filesystems in a module's writable_paths, and changes nothing elsewhere") {
  if (!has_landlock()) return;
  const TemporaryDirectory places;
  const std::string inside = places / "inside";
  const std::string outside = places / "outside";
  for (const std::string& folder : {inside, outside}) fs::create_directories(folder);
  Module module(with_writable(inside));
  int made = 0;
  for (const std::string type : {"ext4", "xfs", "btrfs"}) {
    const std::string program = "/usr/sbin/mkfs." + type;
    if (!fs::exists(program)) continue;
    CAPTURE(program);
    for (const std::string& folder : {inside, outside}) {
      std::ofstream(folder + "/" + type).close();
      fs::resize_file(folder + "/" + type, 512 << 20);
    }
    CHECK(module.ask("run " + program + " " + inside + "/" + type) == 0);
    CHECK(allocated_bytes(inside + "/" + type) > 0);
    CHECK(module.ask("run " + program + " " + outside + "/" + type) != 0);
    CHECK(allocated_bytes(outside + "/" + type) == 0);
    ++made;
  }
  CHECK(made > 0);
}

TEST_CASE("A module whose writable_paths is not there does not start, and says which") {
  if (!has_landlock()) return;
  Module module(with_writable("/nowhere/at/all"));
  const auto answer = module.client.call(kHostile, "");
  CHECK(answer->code() == StatusCode::kUnavailable);
  CHECK_THAT(answer->text(),
             Catch::Contains("/nowhere/at/all") && Catch::Contains("writable_paths"));
}
