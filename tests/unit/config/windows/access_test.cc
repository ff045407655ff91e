// Who may open a pipe and who may call, as configurations for Windows say it.
#include <catch2/catch.hpp>
#include <string>

#include "config/load.h"
#include "config/user_names.h"
#include "tests/unit/config/fake_catalog.h"

namespace longshore::config::test {
namespace {

constexpr const char* kSystem = "S-1-5-18";
constexpr const char* kAdministrators = "S-1-5-32-544";

Result<Configuration> load(const std::string& text) {
  FakeCatalog catalog;
  return load_text(text, "agent.toml", catalog);
}

std::string id_in(const Result<UserId>& id) { return id ? *id : id.error().message(); }

std::string finding_of(const std::string& text) {
  const auto configuration = load(text);
  return configuration ? std::string("none") : configuration.error().message();
}

}  // namespace

TEST_CASE("pipes are for the system and administrators unless the configuration says otherwise") {
  const auto as_it_is = load("");
  REQUIRE(as_it_is);
  CHECK(as_it_is->csi_proxy.access.sddl == "D:P(A;;GA;;;SY)(A;;GA;;;BA)");
  CHECK(as_it_is->csi_proxy.access.allow_users.empty());
  const auto other = load(
      "[endpoints.csi_proxy_access]\nsddl = \"D:P(A;;GA;;;NS)\"\n[endpoints.x]\n"
      "address = \"npipe:////./pipe/x\"\nservices = [\"v1.Disk\"]\n[modules.disk]\n");
  REQUIRE(other);
  CHECK(other->csi_proxy.access.sddl == "D:P(A;;GA;;;NS)");
  CHECK(other->endpoints.at(0).access.sddl == "D:P(A;;GA;;;SY)(A;;GA;;;BA)");
}

TEST_CASE("accounts are found by name and by SID") {
  for (const std::string name : {kSystem, "SYSTEM", "NT AUTHORITY\\SYSTEM", "nt authority\\system"})
    CHECK(id_in(user_id_of(name)) == kSystem);
  for (const std::string name : {kAdministrators, "BUILTIN\\Administrators"})
    CHECK(id_in(group_id_of(name)) == kAdministrators);
  // A SID need not be that of an account here.
  CHECK(id_in(user_id_of("S-1-5-21-1-2-3-4")) == "S-1-5-21-1-2-3-4");
  for (const std::string name : {"no-such-account", "S-1-", "S-1-5-x", "root\n"}) {
    const auto none = user_id_of(name);
    REQUIRE_FALSE(none);
    CHECK(none.error().code() == StatusCode::kNotFound);
  }
}

TEST_CASE("an account that Windows does not know is a finding, with its line") {
  CHECK(
      finding_of("[endpoints.csi_proxy_access]\nallow_users = [\"SYSTEM\",\n\"nobody-here\"]\n") ==
      "agent.toml:3:1: \"endpoints.csi_proxy_access.allow_users\" names \"nobody-here\", and the "
      "system has no user of that name or id");
  CHECK(finding_of("[endpoints.csi_proxy_access]\nallow_groups = [\"nobody-here\"]\n")
            .find("has no group of that name or id") != std::string::npos);
}

// One without a list of who may open the pipe would leave that to Windows' own defaults.
TEST_CASE("a descriptor that cannot be read, or names nobody, is a finding with its line") {
  for (const std::string text : {"for everybody", "O:SYG:SY", "D:P(A;;GA;;;nobody-here)"}) {
    CHECK(finding_of("[endpoints.csi_proxy_access]\nsddl = \"" + text + "\"\n") ==
          "agent.toml:2:8: \"endpoints.csi_proxy_access.sddl\" must be a security descriptor that "
          "says who may open the pipe, such as \"D:P(A;;GA;;;SY)(A;;GA;;;BA)\", not \"" +
              text + "\"");
  }
  CHECK(finding_of("[endpoints.csi_proxy_access]\nsddl = \"\"\n") ==
        "agent.toml:2:8: \"endpoints.csi_proxy_access.sddl\" must not be empty");
}

}  // namespace longshore::config::test
