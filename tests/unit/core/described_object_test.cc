// What the agent makes of a controller's answer for one object, and of one that gives none.
#include "core/described_object.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "tests/unit/core/answering_modules.h"

namespace longshore::core {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using module::v1::DescribeObjectRequest;
using module::v1::DescribeObjectResponse;
using module::v1::QueuedObject;

loader::ModuleDescription tells_of_objects() {
  loader::ModuleDescription description;
  description.describe_object.emplace().full_name = "longshore.module.v1.Objects/Describe";
  return description;
}

DescribeObjectResponse knows_one() {
  DescribeObjectResponse response;
  response.add_kinds("va");
  response.add_objects()->set_queue("csi-attacher-va");
  return response;
}

struct Controllers : AnsweringModules {
  void add(const std::string& name, AnsweringCode::Answer answer) {
    AnsweringModules::add(name, std::move(answer), tells_of_objects());
  }
  void add(const std::string& name, const DescribeObjectResponse& response) {
    add(name, answers(response.SerializeAsString()));
  }
  Result<DescribeObjectResponse> ask(const std::string& name, const std::string& reference,
                                     std::chrono::nanoseconds patience = 60s) const {
    return described_object(entries, name, reference, patience);
  }
  // The code and the sentence.
  std::string refusal(const std::string& name, const std::string& reference,
                      std::chrono::nanoseconds patience = 60s) const {
    const auto answer = ask(name, reference, patience);
    REQUIRE_FALSE(answer);
    return status_code_name(answer.error().code()) + ": " + answer.error().message();
  }
};

TEST_CASE_METHOD(Controllers, "An object is told of as its controller tells of it") {
  DescribeObjectResponse told = knows_one();
  QueuedObject& object = *told.mutable_objects(0);
  object.set_state(QueuedObject::STATE_DELAYED);
  object.set_since_unix_ms(1);
  object.set_is_added_again(true);
  object.set_tries(2);
  object.set_next_try_unix_ms(3);
  auto& failed = *object.add_last_tries();
  failed.set_began_unix_ms(4);
  failed.set_took_us(5);
  failed.set_error("the disk is broken");
  object.add_last_tries()->set_is_done(true);
  const std::string bytes = told.SerializeAsString();
  AnsweringModules::add("other", answers(""), tells_of_objects());
  add("attacher", told);
  const auto answer = ask("attacher", "va/csi-1");
  REQUIRE(answer);
  CHECK(answer->SerializeAsString() == bytes);
}

TEST_CASE_METHOD(Controllers, "What is no reference is refused before anybody is asked") {
  for (const std::string bad : {"", "va", "/", "va/", "/csi-1", "\n"}) {
    CHECK_THAT(refusal("nobody", bad), Contains("INVALID_ARGUMENT: cannot ask for the object") &&
                                           Contains("<kind>/<name>") && !Contains("\n"));
  }
  const auto long_one = refusal("nobody", "va/" + std::string(100'000, 'x'));
  CHECK_THAT(long_one, Contains("INVALID_ARGUMENT: ") && Contains("longer than 1024 bytes"));
  CHECK(long_one.size() < 2000);
}

TEST_CASE_METHOD(Controllers, "A controller that cannot be asked is told of with why") {
  add("attacher", knows_one());
  AnsweringModules::add("old", answers(""), {});
  AnsweringModules::add("disk", answers(""), tells_of_objects()).settings.is_controller = false;
  ModuleEntry& idle = entries.emplace_back();
  idle.settings.name = "idle";
  idle.settings.is_controller = true;
  idle.facts = entries.front().facts;
  idle.wait_for("another has the lease");
  for (const std::string name : {"nobody", "disk", ""}) {
    CHECK_THAT(refusal(name, "va/a"),
               Contains("NOT_FOUND: cannot find the controller") && Contains("none of this name"));
  }
  CHECK(refusal("old", "va/a") ==
        "FAILED_PRECONDITION: cannot ask the controller \"old\": it tells nothing of its objects: "
        "it does not serve longshore.module.v1.Objects");
  CHECK(refusal("idle", "va/a") ==
        "UNAVAILABLE: cannot ask the controller \"idle\": it does not run (waiting): another has "
        "the lease");
}

TEST_CASE_METHOD(Controllers, "An object that is not known is told apart from a kind that is not") {
  DescribeObjectResponse nothing;
  nothing.add_kinds("va");
  nothing.add_kinds("pv");
  add("attacher", nothing);
  CHECK_THAT(refusal("attacher", "va/a"),
             Contains("NOT_FOUND: cannot ask for the object \"va/a\"") && Contains("no try"));
  CHECK_THAT(refusal("attacher", "pod/a"),
             Contains("NOT_FOUND: cannot ask for the object \"pod/a\"") &&
                 Contains("no such kind; its kinds are: va, pv"));
}

TEST_CASE_METHOD(Controllers, "What a degraded controller does not know may be there") {
  DescribeObjectResponse nothing;
  nothing.add_kinds("va");
  const auto degraded = [&](const std::string& reason) {
    return [reason, bytes = nothing.SerializeAsString()](const longshore_host* host,
                                                         longshore_call call) {
      host->set_degraded(host, {reason.data(), reason.size()});
      answers(bytes)(host, call);
    };
  };
  add("attacher", degraded("the watch of nodes is lost:\nno route to host"));
  CHECK(refusal("attacher", "va/a") ==
        "NOT_FOUND: cannot ask for the object \"va/a\": the controller attacher knows nothing of "
        "it, and may not have heard of all objects, as it is degraded: the watch of nodes is lost:"
        "\\nno route to host");
  CHECK_THAT(refusal("attacher", "pod/a"), Contains("no such kind"));
  add("well", degraded(""));
  CHECK_THAT(refusal("well", "va/a"), Contains("no try") && !Contains("degraded"));
  nothing = knows_one();
  add("knows", degraded("the watch of nodes is lost"));
  CHECK(ask("knows", "va/a"));
}

TEST_CASE_METHOD(Controllers, "An object that is none of the controller's is told of as that") {
  DescribeObjectResponse told = knows_one();
  told.set_why_nothing("is of the driver \"b\"");
  add("attacher", told);
  CHECK(
      refusal("attacher", "va/a") ==
      "NOT_FOUND: cannot ask for the object \"va/a\": the controller attacher does nothing for it: "
      "it is of the driver \"b\"");
  told.set_why_nothing("is\n\xff" + std::string(10'000, 'x'));
  add("odd", told);
  const std::string odd = refusal("odd", "va/a");
  CHECK_THAT(odd, Contains("it is\\n\xef\xbf\xbd") && !Contains("\n"));
  CHECK(odd.size() < 1000);
}

TEST_CASE_METHOD(Controllers, "A controller that answers badly, or not, spoils nothing") {
  add("refuses", [](const longshore_host* host, longshore_call call) {
    host->finish(host, call, 13, {"no\n", 3});
  });
  add("unfinished", [](const longshore_host* host, longshore_call call) {
    host->finish(host, call, 12, {"no method", 9});
  });
  add("silent", [](const longshore_host*, longshore_call) {});
  add("garbage", answers("\xff\xff"));
  add("empty", answers(""));
  CHECK_THAT(refusal("refuses", "va/a"), Contains("INTERNAL: ") && Contains("no\\n"));
  // Its description names the service, and its code has it not. UNIMPLEMENTED would be of the
  // agent.
  CHECK_THAT(refusal("unfinished", "va/a"),
             Contains("FAILED_PRECONDITION: ") && Contains("no method"));
  CHECK_THAT(refusal("silent", "va/a", 200ms),
             Contains("DEADLINE_EXCEEDED: ") && Contains("silent"));
  CHECK_THAT(refusal("garbage", "va/a"), Contains("INTERNAL: ") && Contains("no valid message"));
  CHECK_THAT(refusal("empty", "va/a"), Contains("NOT_FOUND: "));
}

TEST_CASE_METHOD(Controllers, "What a controller says is bounded, and fit to be read") {
  DescribeObjectResponse told;
  for (int i = 0; i < 100; ++i) {
    told.add_kinds("kind\n" + std::to_string(i));
    QueuedObject& object = *told.add_objects();
    object.set_queue(std::string(10'000, 'q'));
    for (int j = 0; j < 20; ++j) object.add_last_tries()->set_began_unix_ms(j);
    object.mutable_last_tries(19)->set_error("\x1b[2J\xff" + std::string(10'000, 'e'));
  }
  add("attacher", told);
  const auto answer = ask("attacher", "va/a");
  REQUIRE(answer);
  CHECK(answer->kinds_size() == kMaxQueuesOfObject);
  CHECK(answer->kinds(0) == "kind\\n0");
  REQUIRE(answer->objects_size() == kMaxQueuesOfObject);
  const QueuedObject& object = answer->objects(63);
  CHECK(object.queue().size() == kMaxObjectTextBytes);
  REQUIRE(object.last_tries_size() == kMaxTriesOfObject);
  CHECK(object.last_tries(0).began_unix_ms() == 12);
  const std::string& error = object.last_tries(7).error();
  CHECK_THAT(error, Contains("\\u001b[2J\xef\xbf\xbd"));
  CHECK(error.size() < kMaxObjectTextBytes + 20);
}

}  // namespace
}  // namespace longshore::core
