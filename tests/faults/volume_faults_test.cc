// The records of the volume group in the state directory fail it, while it formats and mounts: no
// answered call is undone, no filesystem is made twice, and every call that failed reaches its goal
// when it is repeated, also by the next agent.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "tests/faults/broken_files.h"
#include "tests/faults/fault_injection.h"
#include "tests/support/agent_process.h"
#include "tests/support/byte_units.h"
#include "tests/support/disk_node.h"
#include "tests/support/read_file.h"
#include "tests/support/temporary_directory.h"

using namespace longshore;
using namespace longshore::test;

namespace {

constexpr int kErrors[] = {EIO, ENOSPC, EMFILE, ENFILE};
constexpr const char* kRecords = "/state/volume";

// A blank disk with one volume, and an agent whose files fail as it is told.
class FaultyNode {
 public:
  FaultyNode() {
    start();
    REQUIRE(client_->partition(node_.disk().number())->code() == StatusCode::kOk);
    id_ = ids_in(client_->list(node_.disk().number())).at(0);
  }

  FileFaults& files() { return faults_.files(); }
  uint64_t failed() const { return faults_.failed_files(); }

  DiskClient::Called format() { return client_->format(id_); }
  DiskClient::Called mount() { return client_->mount(id_, target_); }
  DiskClient::Called unmount() { return client_->unmount(id_, target_); }
  bool is_formatted() { return client_->is_formatted(id_)->messages.at(0) != ""; }
  std::string uuid() const { return node_.filesystem_uuid(); }
  bool is_mounted() const { return !node_.mounts().empty(); }
  std::string file() const { return target_ + "/file"; }

  // The next one has nothing but what this one left.
  void kill_and_start() {
    client_.reset();
    agent_->signal(SIGKILL);
    REQUIRE(agent_->wait() == 128 + SIGKILL);
    start();
  }
  int stop() { return agent_->stop(); }

 private:
  void start() {
    agent_.emplace(node_.directory(), AgentProcess::Options{.variables = faults_.variables()});
    INFO(node_.directory().log());
    REQUIRE(agent_->serves());
    client_.emplace(node_);
  }

  FaultInjection faults_;
  DiskNode node_{{.bytes = 32 * kMebibyte}};
  std::optional<AgentProcess> agent_;
  std::optional<DiskClient> client_;
  std::string id_;
  const std::string target_ = node_.make_target("volume");
};

bool names(const DiskClient::Called& answer, int error) {
  return answer->text().find(std::generic_category().message(error)) != std::string::npos;
}

}  // namespace

TEST_CASE("A volume is formatted or not when any call on its record fails, and once at most") {
  for (const int error : kErrors) {
    uint64_t number = 0;
    bool has_failed = true;
    while (has_failed) {
      FaultyNode node;
      ++number;
      CAPTURE(error, number);
      break_call(node.files(), kRecords, error, number);
      const auto formatted = node.format();
      has_failed = node.failed() > 0;
      mend_files(node.files());
      CAPTURE(formatted->text());
      const bool is_answered = formatted->code() == StatusCode::kOk;
      CHECK((is_answered || (has_failed && names(formatted, error))));
      CHECK(node.is_formatted() == is_answered);
      const std::string uuid = is_answered ? node.uuid() : "";
      node.kill_and_start();
      const auto repeated = node.format();
      INFO(repeated->text());
      CHECK(repeated->code() == StatusCode::kOk);
      CHECK((!is_answered || node.uuid() == uuid));
      CHECK(node.stop() == 0);
    }
    CHECK(number > 4);
  }
}

TEST_CASE("While no record can be read or written, nothing that was answered is undone") {
  FaultyNode node;
  for (const int error : kErrors) {
    CAPTURE(error);
    break_all(break_files(node.files(), kRecords), error);
    const auto refused = node.format();
    CHECK(names(refused, error));
    CHECK_FALSE(node.is_formatted());
    mend_files(node.files());
  }
  REQUIRE(node.format()->code() == StatusCode::kOk);
  const std::string uuid = node.uuid();
  for (const int error : kErrors) {
    CAPTURE(error);
    break_all(break_files(node.files(), kRecords), error);
    // Nobody can say whether it was made for the one who asks: that is told, and nothing is made.
    const auto repeated = node.format();
    INFO(repeated->text());
    CHECK(names(repeated, error));
    CHECK(node.uuid() == uuid);
    const auto mounted = node.mount();
    INFO(mounted->text());
    REQUIRE(mounted->code() == StatusCode::kOk);
    write_file(node.file(), "what was written");
    mend_files(node.files());
    node.kill_and_start();
    CHECK(node.is_mounted());
    CHECK(read_file(node.file()) == "what was written");
    CHECK(node.unmount()->code() == StatusCode::kOk);
    // The record that mounting could not take away only keeps it from being made once more.
    CHECK(node.format()->code() == StatusCode::kOk);
    CHECK(node.uuid() == uuid);
  }
  REQUIRE(node.mount()->code() == StatusCode::kOk);
  CHECK(read_file(node.file()) == "what was written");
  CHECK(node.unmount()->code() == StatusCode::kOk);
  CHECK(node.format()->code() == StatusCode::kFailedPrecondition);
  CHECK(node.uuid() == uuid);
  CHECK(node.stop() == 0);
}
