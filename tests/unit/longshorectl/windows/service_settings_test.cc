// What the service control manager is told of the service, and what is made of its answers.
#include "tools/longshorectl/windows/service_settings.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace longshore;
using namespace longshore::ctl;
using Catch::Contains;

namespace {

// A service control manager that answers each level as it is told, and notes what it was asked for.
struct FakeSettings {
  ChangeServiceSetting change() {
    return [this](DWORD level, void* setting) {
      asked.insert(level);
      if (level == SERVICE_CONFIG_FAILURE_ACTIONS) {
        const auto* const failure = static_cast<SERVICE_FAILURE_ACTIONSW*>(setting);
        actions.assign(failure->lpsaActions, failure->lpsaActions + failure->cActions);
      }
      const auto answer = answers.find(level);
      return answer == answers.end() ? DWORD{ERROR_SUCCESS} : answer->second;
    };
  }

  std::map<DWORD, DWORD> answers;
  std::set<DWORD> asked;
  std::vector<SC_ACTION> actions;
};

const std::set<DWORD> kAllLevels = {SERVICE_CONFIG_DESCRIPTION, SERVICE_CONFIG_FAILURE_ACTIONS,
                                    SERVICE_CONFIG_FAILURE_ACTIONS_FLAG,
                                    SERVICE_CONFIG_DELAYED_AUTO_START_INFO};

}  // namespace

TEST_CASE("a service is restarted 10 seconds after each failure") {
  FakeSettings manager;
  const auto unknown = set_service_settings(manager.change());
  REQUIRE(unknown);
  CHECK(unknown->empty());
  CHECK(manager.asked == kAllLevels);
  REQUIRE(manager.actions.size() == 3);
  for (const SC_ACTION& action : manager.actions) {
    CHECK(action.Type == SC_ACTION_RESTART);
    CHECK(action.Delay == 10'000);
  }
}

TEST_CASE("what a Windows does not know is told, and is no error") {
  FakeSettings manager;
  manager.answers[SERVICE_CONFIG_DELAYED_AUTO_START_INFO] = ERROR_INVALID_LEVEL;
  const auto unknown = set_service_settings(manager.change());
  REQUIRE(unknown);
  CHECK(*unknown == std::vector<std::string>{"the late start"});
}

TEST_CASE("a refusal is an error that names the setting, and the others are set") {
  FakeSettings manager;
  manager.answers[SERVICE_CONFIG_FAILURE_ACTIONS] = ERROR_ACCESS_DENIED;
  manager.answers[SERVICE_CONFIG_FAILURE_ACTIONS_FLAG] = ERROR_SERVICE_MARKED_FOR_DELETE;
  manager.answers[SERVICE_CONFIG_DELAYED_AUTO_START_INFO] = ERROR_INVALID_LEVEL;
  const auto unknown = set_service_settings(manager.change());
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().system().value() == ERROR_ACCESS_DENIED);
  CHECK_THAT(unknown.error().message(),
             Contains("the restart after a failure of the service \"longshored\"") &&
                 Contains("as an administrator"));
  CHECK(manager.asked == kAllLevels);
}

TEST_CASE("a refusal that is no matter of rights advises to try again") {
  FakeSettings manager;
  manager.answers[SERVICE_CONFIG_DESCRIPTION] = ERROR_SERVICE_MARKED_FOR_DELETE;
  const auto unknown = set_service_settings(manager.change());
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error().message(), Contains("longshorectl service configure tries again"));
}
