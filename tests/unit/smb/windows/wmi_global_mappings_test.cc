// Global mappings by WMI, with answers put together here.
#include "smb/windows/wmi_global_mappings.h"

#include <catch2/catch.hpp>
#include <deque>

#include "tests/support/outcome.h"

namespace longshore::smb {
namespace {

using support::WmiObject;
using test::outcome;

constexpr const char* kAskedRoot = "\\\\files\\share";

// Answers what it was told to, and remembers what it was asked.
class AnsweringWmi final : public support::Wmi {
 public:
  Result<std::vector<WmiObject>> objects = std::vector<WmiObject>();
  Result<WmiObject> answer = WmiObject{{"ReturnValue", int64_t{0}}};
  std::vector<std::string> asked;
  WmiObject arguments;

  Result<std::vector<WmiObject>> query(const std::string& name_space, const std::string& query,
                                       const Deadline&) override {
    asked.push_back(name_space + ": " + query);
    return objects;
  }
  Result<WmiObject> call(const std::string& name_space, const std::string& object,
                         const std::string& method, const WmiObject& given,
                         const Deadline&) override {
    asked.push_back(name_space + ": " + object + "." + method);
    arguments = given;
    return answer;
  }
};

struct AskedMappings {
  std::shared_ptr<AnsweringWmi> wmi = std::make_shared<AnsweringWmi>();
  WmiGlobalMappings mappings{wmi};
};

WmiObject mapping(const std::string& remote, support::WmiValue status) {
  return {{"RemotePath", remote},
          {"Status", std::move(status)},
          {"__PATH", "\\\\.\\ROOT\\Microsoft\\Windows\\SMB:MSFT_SmbGlobalMapping." + remote}};
}

Credentials credentials(std::string user, std::string password) {
  return *Credentials::take(user, password);
}

TEST_CASE("the status of a share is its mapping's, in whatever letters") {
  AskedMappings asked;
  asked.wmi->objects = std::vector<WmiObject>{mapping("\\\\files\\share2", int64_t{0}),
                                              mapping("\\\\FILES\\Share", int64_t{2}),
                                              {{"RemotePath", int64_t{1}}},
                                              {}};
  CHECK(*asked.mappings.status(kAskedRoot, {}) == MappingStatus::kDisconnected);
  CHECK(*asked.mappings.status("\\\\files\\share2", {}) == MappingStatus::kOk);
  CHECK_FALSE(asked.mappings.status("\\\\files\\shar", {})->has_value());
  // Nothing of what was asked for is in the query.
  CHECK(asked.wmi->asked.front() ==
        "ROOT\\Microsoft\\Windows\\SMB: SELECT * FROM MSFT_SmbGlobalMapping");
}

TEST_CASE("a status that is none is not OK") {
  AskedMappings asked;
  const auto status =
      GENERATE(support::WmiValue(), support::WmiValue(std::string("OK")), support::WmiValue(true));
  asked.wmi->objects = std::vector<WmiObject>{mapping(kAskedRoot, status)};
  CHECK(*asked.mappings.status(kAskedRoot, {}) == MappingStatus::kUnavailable);
}

TEST_CASE("WMI that cannot be asked is an error") {
  AskedMappings asked;
  asked.wmi->objects = Error(StatusCode::kUnimplemented, "ask WMI");
  CHECK(outcome(asked.mappings.status(kAskedRoot, {})) == "UNIMPLEMENTED");
  CHECK(outcome(asked.mappings.remove(kAskedRoot, {})) == "UNIMPLEMENTED");
  asked.wmi->answer = Error(StatusCode::kUnavailable, "ask WMI");
  CHECK(outcome(asked.mappings.create(kAskedRoot, {}, true, {})) == "UNAVAILABLE");
}

TEST_CASE("a mapping is made with what the class wants") {
  AskedMappings asked;
  const bool is_private = GENERATE(false, true);
  REQUIRE(*asked.mappings.create(kAskedRoot, credentials("corp\\bob", "p"), is_private, {}) == 0);
  CHECK(asked.wmi->asked.back() == "ROOT\\Microsoft\\Windows\\SMB: MSFT_SmbGlobalMapping.Create");
  CHECK(std::get<std::string>(asked.wmi->arguments.at("RemotePath")) == kAskedRoot);
  CHECK(std::get<bool>(asked.wmi->arguments.at("RequirePrivacy")) == is_private);
  CHECK(std::get<support::WmiSecret>(asked.wmi->arguments.at("Credential"))->text() ==
        "corp\\\\bob:p");
  CHECK(asked.wmi->arguments.size() == 3);

  REQUIRE(*asked.mappings.create(kAskedRoot, {}, is_private, {}) == 0);
  CHECK(asked.wmi->arguments.size() == 2);
}

TEST_CASE("backslashes and colons of the user's name are escaped, those of the password not") {
  CHECK(credential_text(credentials("bob", "a:b\\c")).text() == "bob:a:b\\c");
  CHECK(credential_text(credentials("d:x\\b:b", "")).text() == "d\\:x\\\\b\\:b:");
  CHECK(credential_text(credentials("bob@example.org", ":")).text() == "bob@example.org::");
}

TEST_CASE("what a method returns is Windows' code, and so is an error that WMI had of Windows") {
  AskedMappings asked;
  asked.wmi->answer = WmiObject{{"ReturnValue", int64_t{1219}}};
  CHECK(*asked.mappings.create(kAskedRoot, {}, true, {}) == 1219);
  asked.wmi->answer = Error(StatusCode::kInternal, "call by WMI")
                          .because(std::error_code(1326, std::system_category()));
  CHECK(*asked.mappings.create(kAskedRoot, {}, true, {}) == 1326);
  asked.wmi->answer = GENERATE(WmiObject(), WmiObject{{"ReturnValue", std::string("0")}},
                               WmiObject{{"ReturnValue", support::WmiValue()}});
  CHECK(outcome(asked.mappings.create(kAskedRoot, {}, true, {})) == "INTERNAL");
}

TEST_CASE("a mapping is removed by its object's path, whoever uses it") {
  AskedMappings asked;
  asked.wmi->objects = std::vector<WmiObject>{mapping("\\\\Files\\Share", int64_t{2})};
  REQUIRE(*asked.mappings.remove(kAskedRoot, {}) == 0);
  CHECK(asked.wmi->asked.back() ==
        "ROOT\\Microsoft\\Windows\\SMB: \\\\.\\ROOT\\Microsoft\\Windows\\SMB:"
        "MSFT_SmbGlobalMapping.\\\\Files\\Share.Remove");
  CHECK(std::get<bool>(asked.wmi->arguments.at("Force")));
  CHECK(*asked.mappings.remove("\\\\files\\other", {}) == 2250);
}

}  // namespace
}  // namespace longshore::smb
