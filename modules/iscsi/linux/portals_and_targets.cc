// Portals: what the database knows, and what they answer.
#include <algorithm>
#include <string_view>

#include "iscsi/linux/iscsi_backend_linux.h"
#include "iscsi/target_name.h"

namespace longshore::iscsi {

namespace {

constexpr const char* kAdd = "add the portal";
constexpr const char* kDiscover = "discover the targets of";
constexpr const char* kRemove = "remove the portal";

// The names in lines such as "192.0.2.1:3260,1 iqn.2001-04.org.example:disks", each once. What is
// no name is left out: a portal can answer anything.
std::vector<std::string> names_in_answer(std::string_view answer) {
  std::vector<std::string> names;
  while (!answer.empty()) {
    const std::string_view line = answer.substr(0, answer.find('\n'));
    answer.remove_prefix(std::min(line.size() + 1, answer.size()));
    const size_t space = line.find(' ');
    if (space == line.npos) continue;
    std::string name(line.substr(space + 1));
    if (!check_target_name(name, kDiscover)) continue;
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Result<void> IscsiBackendLinux::add_portal(const Portal& portal, const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kAdd, portal.text())) return *std::move(exceeded);
  if (records_.knows(portal)) return {};
  // It is asked first, so that one that does not answer is known at no moment.
  if (const auto answer = ask(portal, {"nonpersistent"}); !answer) return answer.error();
  if (Result<void> added = change_portal(portal, "new", kAdd); !added) return added;
  if (records_.knows(portal)) return {};
  return Error(StatusCode::kFailedPrecondition, kAdd, portal.text())
      .because("open-iscsi keeps its database elsewhere than in " + records_.folder())
      .advise("set the option database to its folder");
}

Result<std::vector<std::string>> IscsiBackendLinux::discover(const Portal& portal,
                                                             const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kDiscover, portal.text())) return *std::move(exceeded);
  if (!records_.knows(portal)) {
    return Error(StatusCode::kNotFound, kDiscover, portal.text())
        .because("the portal is not known")
        .advise("AddTargetPortal makes it known");
  }
  // iscsiadm gets no time to wait for a lock that nobody lets go.
  if (Result<void> freed = records_.free_lock(); !freed) return freed.error();
  // Records of targets that are gone go, new ones come, and those that stay are left as they are.
  return ask(portal, {"new", "delete"});
}

Result<std::vector<std::string>> IscsiBackendLinux::ask(
    const Portal& portal, const std::vector<std::string>& operations) const {
  Iscsiadm::Run run{
      .arguments = {"-m", "discoverydb", "-t", "sendtargets", "-p", portal.text(), "-I", "default"},
      .operation = kDiscover,
      .object = portal.text(),
      .limit = discovery_limit(),
      .successes = {ExitCode::kSuccess, ExitCode::kNothingFound},
      .keeps_output = true};
  for (const std::string& operation : operations) {
    run.arguments.insert(run.arguments.end(), {"-o", operation});
  }
  run.arguments.emplace_back("--discover");
  const Result<Iscsiadm::End> end = iscsiadm_.run(run);
  if (!end) return end.error();
  // iscsiadm says that it found nothing both when a portal has no targets and when the kernel lacks
  // the transport to ask by.
  if (end->exit_code == ExitCode::kNothingFound && !sessions_.has_tcp()) {
    return Error(StatusCode::kFailedPrecondition, kDiscover, portal.text())
        .because("the kernel has no iSCSI over TCP")
        .advise("load the kernel's module iscsi_tcp, at every start of the node");
  }
  return names_in_answer(end->output);
}

Result<void> IscsiBackendLinux::remove_portal(const Portal& portal, const Deadline& deadline) {
  if (auto exceeded = deadline.exceeded(kRemove, portal.text())) return *std::move(exceeded);
  if (!records_.knows(portal)) return {};
  return change_portal(portal, "delete", kRemove);
}

Result<void> IscsiBackendLinux::change_portal(const Portal& portal, const char* change,
                                              const char* operation) const {
  const Result<Iscsiadm::End> end = iscsiadm_.run(
      {.arguments = {"-m", "discoverydb", "-t", "sendtargets", "-p", portal.text(), "-o", change},
       .operation = operation,
       .object = portal.text(),
       .limit = kDatabaseLimit});
  if (!end) return end.error();
  return {};
}

}  // namespace longshore::iscsi
