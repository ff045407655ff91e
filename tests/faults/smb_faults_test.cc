// What the smb group keeps below mappings_directory, and the links to it, fail it at every step: no
// mapping that was answered is lost, and every call that failed reaches its goal when it is
// repeated. On a made-up kernel, in this very process.
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <string>

#include "tests/faults/broken_files.h"
#include "tests/faults/plan_of_process.h"
#include "tests/unit/smb/linux_node.h"

namespace longshore::test {
namespace {

FaultPlan own_plan;

}  // namespace

FaultPlan* plan_of_process() { return &own_plan; }

}  // namespace longshore::test

namespace longshore::smb {
namespace {

constexpr int kErrors[] = {EIO, ENOSPC, EMFILE, ENFILE};

void set_errors(int error) {
  test::break_all(test::own_plan.files, error);
  test::own_plan.files.make_error = error;
}

// `act` while one call on the node's files fails. Whether there was one.
template <typename Act>
bool fails_at(LinuxNode& node, int error, uint64_t number, const Act& act) {
  const auto folder = std::filesystem::path(node.world.mappings()).parent_path();
  test::break_call(test::own_plan.files, folder, error, number);
  // What the kernel does there is not made to fail.
  node.kernel.moment = [&](const std::string& moment) {
    set_errors(moment.starts_with("before") ? 0 : error);
  };
  set_errors(error);
  act();
  node.kernel.moment = [](const std::string&) {};
  test::mend_files(test::own_plan.files);
  return test::own_plan.files.failed > 0;
}

// A node of its own for each call that is made to fail.
template <typename Check>
void at_each_failure(uint64_t least, const Check& check) {
  for (const int error : kErrors) {
    uint64_t number = 0;
    bool has_failed = true;
    while (has_failed) {
      LinuxNode node;
      ++number;
      CAPTURE(error, number);
      has_failed = check(node, error, number);
      CHECK(outcome(node.unmap("")) == "OK");
      CHECK(node.left_nothing());
    }
    CHECK(number > least);
  }
}

TEST_CASE("a share is mapped or not when its files fail, and mapped when that is repeated") {
  at_each_failure(8, [](LinuxNode& node, int error, uint64_t number) {
    std::string answer;
    const bool has_failed =
        fails_at(node, error, number, [&] { answer = outcome(node.map("", node.local)); });
    CAPTURE(answer);
    CHECK((answer == "OK") == node.world.leads_to(node.local, ""));
    CHECK((has_failed || answer == "OK"));
    CHECK(outcome(node.map("", node.local)) == "OK");
    CHECK(node.world.leads_to(node.local, ""));
    CHECK(node.kernel.mounted().size() == 1);
    return has_failed;
  });
}

TEST_CASE("a mapping stays when its files fail while credentials change or a link is added") {
  const bool is_link = GENERATE(false, true);
  CAPTURE(is_link);
  at_each_failure(3, [&](LinuxNode& node, int error, uint64_t number) {
    REQUIRE(node.map("", node.local));
    if (!is_link) node.world.set_password("another");
    const std::string local = is_link ? node.world.local("other") : node.local;
    std::string answer;
    const bool has_failed =
        fails_at(node, error, number, [&] { answer = outcome(node.map("", local)); });
    CHECK(node.world.leads_to(node.local, ""));
    CHECK((has_failed || answer == "OK"));
    CHECK((answer != "OK" || node.world.leads_to(local, "")));
    CHECK(outcome(node.map("", local)) == "OK");
    CHECK(node.world.leads_to(local, ""));
    CHECK(node.kernel.mounted().size() == 1);
    return has_failed;
  });
}

TEST_CASE("a mapping that cannot be taken away because its files fail is taken away later") {
  at_each_failure(1, [](LinuxNode& node, int error, uint64_t number) {
    REQUIRE(node.map("", node.local));
    std::string answer;
    const bool has_failed =
        fails_at(node, error, number, [&] { answer = outcome(node.unmap("")); });
    CHECK((has_failed || answer == "OK"));
    CHECK((answer != "OK" || node.left_nothing()));
    CHECK(outcome(node.unmap("")) == "OK");
    CHECK(node.world.is_absent(node.local));
    return has_failed;
  });
}

}  // namespace
}  // namespace longshore::smb
